import Foundation
import ImageCore
import ImageDiskCaching
import Testing

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

    @Test("a file truncated at any byte is a miss and is removed, and other entries stay")
    func truncatedAnywhere() async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        for length in 0..<original.count {
            try original.prefix(length).write(to: folder.file(key(1)))
            let found = try await cache.entry(for: key(1))
            #expect(found == nil, "truncated at \(length)")
            #expect(!FileManager.default.fileExists(atPath: folder.file(key(1)).path))
        }
        #expect(try await cache.entry(for: key(2)) == entry(150, seed: 2))
        #expect(try await cache.status().entryCount == 1)
    }

    @Test(
        "a file with any byte altered is a miss, and is removed unless it looks like another version",
        arguments: [1, 0x80, 0xFF])
    func alteredAnywhere(mask: UInt8) async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        let version = original.count - 8..<original.count - 4
        for position in 0..<original.count {
            var altered = original
            altered[position] ^= mask
            try altered.write(to: folder.file(key(1)))
            let found = try await cache.entry(for: key(1))
            #expect(found == nil, "altered at \(position)")
            let exists = FileManager.default.fileExists(atPath: folder.file(key(1)).path)
            #expect(exists == version.contains(position), "altered at \(position)")
        }
        try original.write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == stored)
        #expect(try await cache.entry(for: key(2)) == entry(150, seed: 2))
    }

    @Test("a payload of several blocks is a miss if one of them is altered, or two are swapped")
    func alteredBlocks() async throws {
        let cache = folder.cache()
        let block = EntryFormat.blockSize
        let large = entry(2 * block + 1)
        try await cache.store(large, for: key(1))
        #expect(try await cache.entry(for: key(1)) == large)
        let original = try Data(contentsOf: folder.file(key(1)))
        for position in [0, block - 1, block, 2 * block - 1, 2 * block] {
            var altered = original
            altered[position] ^= 1
            try altered.write(to: folder.file(key(1)))
            #expect(try await cache.entry(for: key(1)) == nil, "altered at \(position)")
        }
        try (original[block..<2 * block] + original[..<block] + original[(2 * block)...]).write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == nil)
        try original.write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == large)
    }

    @Test("a file that is extended, doubled or zeroed is a miss and is removed")
    func otherDamage() async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        for damaged in [original + Data([0]), original + original, Data(count: original.count), Data([0]) + original] {
            try damaged.write(to: folder.file(key(1)))
            #expect(try await cache.entry(for: key(1)) == nil)
            #expect(!FileManager.default.fileExists(atPath: folder.file(key(1)).path))
        }
    }

    @Test("lengths in the trailer that would overflow count as damage and don't trap")
    func overflowingLengths() async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        for field in [
            original.count - 32..<original.count - 24, original.count - 24..<original.count - 20,
            original.count - 20..<original.count - 16,
        ] {
            var altered = original
            altered.replaceSubrange(field, with: Data(repeating: 0xFF, count: field.count))
            try altered.write(to: folder.file(key(1)))
            #expect(try await cache.entry(for: key(1)) == nil)
        }
    }

    @Test("verify removes damaged entries, counts what it read, and keeps an entry of another version")
    func verifies() async throws {
        let cache = folder.cache()
        let original = try await storedFile(cache)
        for number in 3...5 { try await cache.store(entry(150, seed: UInt64(number)), for: key(number)) }
        try original.dropLast().write(to: folder.file(key(1)))
        var newer = try Data(contentsOf: folder.file(key(3)))
        newer[newer.count - 8] = 3
        try newer.write(to: folder.file(key(3)))

        let report = try await cache.verify()
        #expect(report.entriesChecked == 5)
        #expect(report.damagedRemoved == 1)
        #expect(report.otherVersions == 1)
        #expect(report.isIntact)
        #expect(try await cache.status().entryCount == 4)
        #expect(try await cache.verify().damagedRemoved == 0)
        #expect(try await cache.entry(for: key(3)) == nil)
        try await cache.store(entry(10), for: key(3))
        #expect(try await cache.entry(for: key(3)) == entry(10))
    }

    @Test("verify does not report an entry that another cache finished writing in the meantime")
    func finishedMeanwhile() async throws {
        let fileSystem = FileInProgress()
        let cache = DiskDataCache(
            folder: EntryFolder(
                root: folder.path, byteLimit: 1 << 20, options: DiskCacheOptions(), fileSystem: fileSystem,
                now: { testTime }))
        try await cache.store(entry(150), for: key(1))
        fileSystem.begin(at: folder.file(key(1)).path)
        let report = try await cache.verify()
        #expect(report.damagedRemoved == 0)
        #expect(report.entriesChecked == 1)
        #expect(try await cache.entry(for: key(1)) == entry(150))
    }

    @Test("a file larger than the limit is not read, and is removed by a lookup")
    func oversized() async throws {
        let cache = folder.cache(byteLimit: 10_000)
        try await cache.store(entry(100), for: key(1))
        let file = try FileHandle(forWritingTo: folder.file(key(1)))
        try file.truncate(atOffset: 1 << 40)
        try file.close()
        #expect(try await cache.verify().oversized == 1)
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(folder.files().isEmpty)
    }
}
