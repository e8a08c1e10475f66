import Foundation
import ImageCore
import Testing

@testable import ImageDiskCaching

@Suite("Damaged files on disk")
struct DamageTests {
    private let folder = TestFolder()
    private let stored = entry(150)

    /// The bytes of the file of `stored`. Another entry is stored beside it.
    private func storedFile(_ cache: DiskDataCache) async throws -> Data {
        try await cache.store(stored, for: key(1))
        try await cache.store(entry(150, seed: 2), for: key(2))
        return try Data(contentsOf: folder.file(key(1)))
    }

    /// Checks that a file with these bytes is a miss, and is removed.
    private func expectMiss(_ bytes: Data, _ cache: DiskDataCache, _ comment: Comment) async throws {
        try bytes.write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == nil, comment)
        try await cache.flush()
        #expect(!FileManager.default.fileExists(atPath: folder.file(key(1)).path), comment)
    }

    @Test("a file truncated at any byte is a miss and is removed, and other entries stay")
    func truncatedAnywhere() async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        for length in 0..<original.count {
            try await expectMiss(original.prefix(length), cache, "truncated at \(length)")
        }
        #expect(try await cache.entry(for: key(2)) == entry(150, seed: 2))
        #expect(try await cache.status().entryCount == 1)
    }

    @Test("a file with any byte altered is a miss and is removed, and other entries stay", arguments: [1, 0x80, 0xFF])
    func alteredAnywhere(mask: UInt8) async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        for position in 0..<original.count {
            var altered = original
            altered[position] ^= mask
            try await expectMiss(altered, cache, "altered at \(position)")
        }
        try original.write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == stored)
        #expect(try await cache.entry(for: key(2)) == entry(150, seed: 2))
    }

    @Test("a file of another version or magic, or with other lengths, is a miss although its checksum is right")
    func inconsistentTrailer() async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        let trailer = original.count - EntryFile.trailerSize
        for offset in [8, 15, 16, 20, 24, 28] {
            var altered = original.dropLast(EntryChecksum.byteCount)
            altered[trailer + offset] ^= 1
            var checksum = EntryChecksum()
            checksum.add(altered)
            var sums: [UInt8] = []
            for sum in checksum.sums { sums.append(sum) }
            try await expectMiss(altered + sums, cache, "altered at \(offset) of the trailer")
        }
    }

    @Test("a large file is a miss if a byte is altered, or if two parts are swapped")
    func alteredBlocks() async throws {
        let cache = folder.cache()
        let large = entry(3 * 4_096 + 13)
        try await cache.store(large, for: key(1))
        #expect(try await cache.entry(for: key(1)) == large)
        let original = try Data(contentsOf: folder.file(key(1)))
        for position in [0, 7, 8, 4_095, 4_096, 8_191, 12_300, original.count - 1] {
            var altered = original
            altered[position] ^= 0x80
            try await expectMiss(altered, cache, "altered at \(position)")
        }
        for length in [8, 64, 4_096] {
            let swapped = original[length..<2 * length] + original[..<length] + original[(2 * length)...]
            try await expectMiss(swapped, cache, "swapped \(length) bytes")
        }
        try original.write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == large)
    }

    @Test("a file that is extended, doubled, moved or zeroed is a miss and is removed")
    func otherDamage() async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        for damaged in [original + Data([0]), original + original, Data(count: original.count), Data([0]) + original] {
            try await expectMiss(damaged, cache, "\(damaged.count) bytes")
        }
    }

    @Test(
        "lengths in the trailer that would overflow count as damage and don't trap",
        arguments: [40..<48, 28..<32, 24..<28])
    func overflowingLengths(distanceFromEnd: Range<Int>) async throws {
        let cache = folder.cache()
        var altered = try await storedFile(cache)
        let end = altered.count
        altered.replaceSubrange(
            end - distanceFromEnd.upperBound..<end - distanceFromEnd.lowerBound,
            with: Data(repeating: 0xFF, count: distanceFromEnd.count))
        try await expectMiss(altered, cache, "\(distanceFromEnd)")
    }

    @Test("verify removes damaged entries, and counts what it read")
    func verifies() async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        for number in 3...5 { try await cache.store(entry(150, seed: UInt64(number)), for: key(number)) }
        try original.dropLast().write(to: folder.file(key(1)))
        let byteCount = folder.byteCount()
        let report = try await cache.verify()
        #expect(report.checkedEntryCount == 5 && report.checkedByteCount == byteCount)
        #expect(report.removedEntryCount == 1)
        #expect(report.unrepairedFiles.isEmpty)
        #expect(try await cache.status().entryCount == 4)
        #expect(try await cache.verify().removedEntryCount == 0)
    }

    @Test("a file larger than the limit is not read, and is removed", arguments: [false, true])
    func oversized(isVerified: Bool) async throws {
        let cache = folder.cache(byteLimit: 10_000)
        try await cache.store(entry(100), for: key(1))
        try FileHandle(forWritingTo: folder.file(key(1))).truncate(atOffset: 1 << 40)
        if isVerified { #expect(try await cache.verify().removedEntryCount == 1) }
        #expect(try await cache.entry(for: key(1)) == nil)
        try await cache.flush()
        #expect(folder.files().isEmpty)
        // The limit holds, although the file was longer than what was counted.
        for number in 2...9 { try await cache.store(entry(2_000), for: key(number)) }
        #expect(folder.totalByteCount() <= 10_000)
    }
}
