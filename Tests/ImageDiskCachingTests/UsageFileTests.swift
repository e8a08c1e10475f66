import Foundation
import ImageCore
import Testing

@testable import ImageDiskCaching

@Suite("The counter of the bytes in use")
struct UsageFileTests {
    private let folder = TestFolder()
    private static let files = 6 * fileSize(entry(500), key(1))
    private static let limit = ImageDiskCachingTests.limit(files: files)

    /// Fills the folder to its limit, and returns the bytes of the counter.
    private func fill() async throws -> Data {
        let cache = folder.cache(byteLimit: Self.limit)
        for number in 1...6 { try await cache.store(entry(500), for: key(number)) }
        return try Data(contentsOf: folder.usage)
    }

    /// Checks that all entries exist, and that a store doesn't exceed the limit.
    private func expectIntact(_ cache: DiskDataCache, _ comment: Comment) async throws {
        for number in 1...6 {
            let found = try await cache.entry(for: key(number))
            #expect(found == entry(500), comment)
        }
        try await cache.store(entry(500), for: key(9))
        #expect(folder.totalByteCount() == Self.limit, comment)
        try await cache.remove(for: key(9))
        for number in 1...6 { try await cache.store(entry(500), for: key(number)) }
    }

    @Test("if the counter is truncated, altered, replaced or removed, no entry is lost and the limit holds")
    func damaged() async throws {
        let original = try await fill()
        #expect(original.count == 24)
        for length in 0..<original.count {
            try original.prefix(length).write(to: folder.usage)
            try await expectIntact(folder.cache(byteLimit: Self.limit), "truncated at \(length)")
        }
        for position in original.indices {
            var altered = original
            altered[position] ^= 1
            try altered.write(to: folder.usage)
            try await expectIntact(folder.cache(byteLimit: Self.limit), "altered at \(position)")
        }
        let inUse = folder.cache(byteLimit: Self.limit)
        try await inUse.store(entry(500), for: key(1))
        for other in [Data(), Data(count: 24), Data("something else".utf8), nil] {
            for cache in [inUse, folder.cache(byteLimit: Self.limit)] {
                if let other {
                    try other.write(to: folder.usage)
                } else {
                    try FileManager.default.removeItem(at: folder.usage)
                }
                try await expectIntact(cache, "\(other?.count ?? -1) other bytes")
            }
        }
    }

    @Test("the counter is the length of all files after each change")
    func isExact() async throws {
        let cache = folder.cache(byteLimit: 1 << 20)
        for count in [500, 100, 900, 900] {
            try await cache.store(entry(count), for: key(1))
            #expect(try folder.countedBytes() == folder.totalByteCount())
        }
        for count in [300_000, 400_000] {
            let writer = try await cache.writer(for: key(2), expectedByteCount: 350_000)
            try await writer.append(noise(count, seed: 1))
            #expect(try folder.countedBytes() == folder.totalByteCount())
            try await writer.finish(metadata: Data(), creationDate: testTime)
            #expect(try folder.countedBytes() == folder.totalByteCount())
        }
        let writer = try await cache.writer(for: key(2), expectedByteCount: 300_000)
        await writer.cancel()
        try await cache.remove(for: key(1))
        #expect(try folder.countedBytes() == folder.totalByteCount())
    }

    @Test("an entry that is replaced in a full folder evicts no other")
    func replacesWhenFull() async throws {
        _ = try await fill()
        let cache = folder.cache(byteLimit: Self.limit)
        for number in [6, 5] { try await cache.store(entry(500, seed: 2), for: key(number)) }
        #expect(folder.files().count == 6)
    }

    @Test("a counter that is too high, as after a crash, is corrected before an entry is evicted")
    func tooHigh() async throws {
        let cache = folder.cache(byteLimit: Self.limit)
        for number in 1...5 { try await cache.store(entry(500), for: key(number)) }
        let full = try await fill()
        try await folder.cache(byteLimit: Self.limit).remove(for: key(6))
        try full.write(to: folder.usage)
        try await folder.cache(byteLimit: Self.limit).store(entry(500), for: key(7))
        #expect(folder.files().count == 6)
    }

    @Test(
        "if a call fails while an entry is stored or streamed, the counter doesn't keep its bytes",
        arguments: [500, 600_000])
    func failedStore(byteCount: Int) async throws {
        let fileSystem = FaultInjectingFileSystem()
        let cache = folder.cache(byteLimit: 4 << 20, fileSystem: fileSystem.files)
        try await cache.store(entry(500), for: key(1))
        let counter = try Data(contentsOf: folder.usage)
        let isStreamed = byteCount > 256 << 10
        for operation: FileSystem.Call in [.create, .rename, .setModified] + (isStreamed ? [.truncate] : []) {
            fileSystem.fail(of: [operation], with: EIO)
            await #expect(throws: DataCacheError.self, "\(operation)") {
                let writer = try await cache.writer(for: key(2), expectedByteCount: nil)
                for seed in 2...3 { try await writer.append(noise(byteCount, seed: UInt64(seed))) }
                try await writer.finish(metadata: Data(), creationDate: testTime)
            }
            fileSystem.recover()
            try await cache.remove(for: key(2))
            #expect(try Data(contentsOf: folder.usage) == counter, "\(operation)")
        }
    }

    @Test("a new file whose time is that of the cache's clock isn't changed again")
    func systemTime() async throws {
        let fileSystem = FaultInjectingFileSystem()
        fileSystem.fail(of: [.setModified], with: EIO)
        let cache = DiskDataCache(
            directory: folder.url, byteLimit: 1 << 20, options: DiskCacheOptions(), fileSystem: fileSystem.files,
            now: { [folder] in folder.newestPartTime ?? testTime })
        try await cache.store(entry(500), for: key(1))
        #expect(try await cache.entry(for: key(1)) == entry(500))
    }

    @Test("a folder in the old format is emptied by the first store, and files of others stay")
    func oldFormat() async throws {
        try await folder.cache().store(entry(500), for: key(1))
        let older = folder.url.appending(path: "aa/aa\(String(repeating: "0", count: 62))")
        try FileManager.default.createDirectory(
            at: older.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.removeItem(at: folder.usage)
        let foreign = folder.url.appending(path: "notes.txt")
        for file in [older, foreign] { try Data("older".utf8).write(to: file) }
        for name in ["entries.index", "entries.table"] {
            try Data(count: 64).write(to: folder.url.appending(path: name))
        }
        let cache = folder.cache()
        try await cache.store(entry(500), for: key(2))
        #expect(folder.files().count == 2)
        #expect(FileManager.default.fileExists(atPath: foreign.path))
        #expect(try await cache.entry(for: key(2)) == entry(500))
    }

    @Test("a folder whose counter has another format is emptied by the first store")
    func otherFormat() async throws {
        for number in 1...3 { try await folder.cache().store(entry(100), for: key(number)) }
        // The number of the format, in the head and in its checksum.
        var counter = try Data(contentsOf: folder.usage)
        for index in [4, 20] { counter[index] ^= 3 }
        try counter.write(to: folder.usage)
        let cache = folder.cache()
        try await cache.store(entry(100), for: key(4))
        #expect(folder.files().count == 1)
        #expect(try await cache.entry(for: key(4)) == entry(100))
        #expect(try await cache.verify().checkedEntryCount == 1)
    }

    @Test("a store and a lookup don't list the entries, unless one is evicted")
    func listsNothing() async throws {
        _ = try await fill()
        let fileSystem = FaultInjectingFileSystem()
        let cache = folder.cache(byteLimit: 2 * Self.limit, fileSystem: fileSystem.files)
        try await cache.store(entry(500), for: key(9))
        _ = try await cache.entry(for: key(1))
        // Opening the cache lists the parts of ended processes.
        #expect(fileSystem.log.filter { $0.operation == .list }.map(\.path) == ["\(folder.path)/tmp"])
    }
}
