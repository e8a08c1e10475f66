import Foundation
import ImageCore
import ImageDiskCaching
import Testing

@Suite("Damaged files on disk")
struct DamageTests {
    private let folder = TestFolder()
    private let stored = entry(150)

    /// The bytes of the file of `stored`, with an undamaged neighbour beside it.
    private func wholeFile(_ cache: DiskDataCache) async throws -> Data {
        try await cache.store(stored, for: key(1))
        try await cache.store(entry(150, seed: 2), for: key(2))
        return try Data(contentsOf: folder.file(key(1)))
    }

    @Test("a file cut off at any byte is a miss and is removed; its neighbour stays")
    func truncatedAnywhere() async throws {
        let cache = folder.cache()
        let whole = try await wholeFile(cache)
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: folder.file(key(1)))
            let found = try await cache.entry(for: key(1))
            #expect(found == nil, "cut off at \(length)")
            #expect(!FileManager.default.fileExists(atPath: folder.file(key(1)).path))
        }
        #expect(try await cache.entry(for: key(2)) == entry(150, seed: 2))
        #expect(try await cache.status().entryCount == 1)
    }

    @Test(
        "a file with any byte altered is a miss, and is removed unless it passes for another version",
        arguments: [1, 0x80, 0xFF])
    func alteredAnywhere(mask: UInt8) async throws {
        let cache = folder.cache()
        let whole = try await wholeFile(cache)
        let version = whole.count - 8..<whole.count - 4
        for position in 0..<whole.count {
            var altered = whole
            altered[position] ^= mask
            try altered.write(to: folder.file(key(1)))
            let found = try await cache.entry(for: key(1))
            #expect(found == nil, "altered at \(position)")
            let isThere = FileManager.default.fileExists(atPath: folder.file(key(1)).path)
            #expect(isThere == version.contains(position), "altered at \(position)")
        }
        try whole.write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == stored)
        #expect(try await cache.entry(for: key(2)) == entry(150, seed: 2))
    }

    @Test("a payload of several blocks is a miss when any one of them is altered, or two have changed slots")
    func alteredBlocks() async throws {
        let cache = folder.cache()
        let block = EntryFormat.blockSize
        let large = entry(2 * block + 1)
        try await cache.store(large, for: key(1))
        #expect(try await cache.entry(for: key(1)) == large)
        let whole = try Data(contentsOf: folder.file(key(1)))
        for position in [0, block - 1, block, 2 * block - 1, 2 * block] {
            var altered = whole
            altered[position] ^= 1
            try altered.write(to: folder.file(key(1)))
            #expect(try await cache.entry(for: key(1)) == nil, "altered at \(position)")
        }
        try (whole[block..<2 * block] + whole[..<block] + whole[(2 * block)...]).write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == nil)
        try whole.write(to: folder.file(key(1)))
        #expect(try await cache.entry(for: key(1)) == large)
    }

    @Test("a file that something was appended to, doubled or zeroed is a miss and is removed")
    func otherDamage() async throws {
        let cache = folder.cache()
        let whole = try await wholeFile(cache)
        for damaged in [whole + Data([0]), whole + whole, Data(count: whole.count), Data([0]) + whole] {
            try damaged.write(to: folder.file(key(1)))
            #expect(try await cache.entry(for: key(1)) == nil)
            #expect(!FileManager.default.fileExists(atPath: folder.file(key(1)).path))
        }
    }

    @Test("lengths in the trailer that would overflow are damage, not a trap")
    func absurdLengths() async throws {
        let cache = folder.cache()
        let whole = try await wholeFile(cache)
        for field in [
            whole.count - 32..<whole.count - 24, whole.count - 24..<whole.count - 20,
            whole.count - 20..<whole.count - 16,
        ] {
            var altered = whole
            altered.replaceSubrange(field, with: Data(repeating: 0xFF, count: field.count))
            try altered.write(to: folder.file(key(1)))
            #expect(try await cache.entry(for: key(1)) == nil)
        }
    }

    @Test("verify removes what is damaged, counts what it read, and leaves another version's entry alone")
    func verifies() async throws {
        let cache = folder.cache()
        let whole = try await wholeFile(cache)
        for number in 3...5 { try await cache.store(entry(150, seed: UInt64(number)), for: key(number)) }
        try whole.dropLast().write(to: folder.file(key(1)))
        var newer = try Data(contentsOf: folder.file(key(3)))
        newer[newer.count - 8] = 3
        try newer.write(to: folder.file(key(3)))

        let report = try await cache.verify()
        #expect(report.entriesChecked == 5)
        #expect(report.damagedRemoved == 1)
        #expect(report.otherVersions == 1)
        #expect(report.isSound)
        #expect(try await cache.status().entryCount == 4)
        #expect(try await cache.verify().damagedRemoved == 0)
        #expect(try await cache.entry(for: key(3)) == nil)
        try await cache.store(entry(10), for: key(3))
        #expect(try await cache.entry(for: key(3)) == entry(10))
    }

    @Test("a file larger than the whole budget is not even read, and is removed when asked for")
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
