import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("Streamed entries")
struct StreamingTests {
    private let folder = TestFolder()
    private static let megabyte = noise(1_000_000, seed: 5)

    private func stream(
        _ data: Data, in chunkSize: Int, expecting: Int? = nil, to cache: DiskDataCache
    ) async throws -> any DataCacheWriter {
        let writer = try await cache.writer(for: key(1), expectedByteCount: expecting)
        for start in stride(from: 0, to: data.count, by: chunkSize) {
            try await writer.append(data[start..<min(start + chunkSize, data.count)])
        }
        return writer
    }

    @Test(
        "stores the appended data, whatever the size of the chunks and the expected length",
        arguments: [0, 1, 65_536, 262_144, 500_001], [nil, 0, 262_144, 700_000])
    func storesChunks(count: Int, expecting: Int?) async throws {
        let cache = folder.cache(byteLimit: 2 << 20)
        let data = Self.megabyte.prefix(count)
        let writer = try await stream(data, in: 30_011, expecting: expecting, to: cache)
        #expect(try await cache.entry(for: key(1)) == nil)
        try await writer.finish(metadata: Data("m".utf8), creationDate: testTime)
        let stored = DataCacheEntry(data: data, metadata: Data("m".utf8), creationDate: testTime)
        #expect(try await cache.entry(for: key(1)) == stored)
        #expect(folder.byteCount() == fileSize(stored, key(1)))
        #expect(try await cache.status().byteCount == folder.byteCount())
        #expect(try await cache.verify().removedEntryCount == 0)
    }

    @Test("the older entry is found until the newer one is finished, and stays if the writer is cancelled or released")
    func cancelled() async throws {
        let cache = folder.cache(byteLimit: 4 << 20)
        try await cache.store(entry(100), for: key(1))
        let writer = try await stream(Self.megabyte, in: 300_000, to: cache)
        #expect(try await cache.entry(for: key(1)) == entry(100))
        await writer.cancel()
        do {
            let dropped = try await stream(Self.megabyte, in: 300_000, to: cache)
            _ = consume dropped
        }
        #expect(try await cache.status().byteCount == fileSize(entry(100), key(1)))
        #expect(folder.byteCount() == fileSize(entry(100), key(1)))
        #expect(try await cache.entry(for: key(1)) == entry(100))
        await #expect(throws: DataCacheError.self) { try await writer.append(Data([1])) }
    }

    @Test("appends that overlap are written one after the other")
    func overlapping() async throws {
        let cache = folder.cache(byteLimit: 4 << 20)
        let writer = try await cache.writer(for: key(1), expectedByteCount: nil)
        let pieces = (0..<8).map { noise(300_000, seed: UInt64($0)).prefix(300_000 - $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for piece in pieces { group.addTask { try await writer.append(piece) } }
            try await group.waitForAll()
        }
        try await writer.finish(metadata: Data(), creationDate: testTime)
        var rest = try #require(await cache.entry(for: key(1))?.data)
        while let piece = pieces.first(where: { rest.starts(with: $0) }) { rest = rest.dropFirst(piece.count) }
        #expect(rest.isEmpty)
        #expect(folder.byteCount() == pieces.reduce(0) { $0 + $1.count } + fileSize(entry(0), key(1)) - 10)
        #expect(!folder.hasUnfinishedFiles)
    }

    @Test("the limit holds at every system call while an entry grows, and others are evicted")
    func holdsLimit() async throws {
        let limit = 1_200_000
        let cache = folder.cache(byteLimit: limit, fileSystem: folder.watched(limit).files)
        for number in 2...5 { try await cache.store(entry(250_000), for: key(number)) }
        let writer = try await stream(Self.megabyte, in: 100_000, to: cache)
        try await writer.finish(metadata: Data(), creationDate: testTime)
        #expect(try await cache.entry(for: key(1))?.data == Self.megabyte)
        #expect(try await cache.entry(for: key(2)) == nil)
    }

    @Test("an entry that just fits can be streamed, with and without its length", arguments: [nil, 600_000])
    func justFits(expecting: Int?) async throws {
        let data = Self.megabyte.prefix(600_000)
        let stored = DataCacheEntry(data: data, creationDate: testTime)
        let cache = folder.cache(byteLimit: limit(files: fileSize(stored, key(1))))
        let writer = try await stream(data, in: 50_000, expecting: expecting, to: cache)
        try await writer.finish(metadata: Data(), creationDate: testTime)
        #expect(try await cache.entry(for: key(1)) == stored)
    }

    @Test("rejects an entry that exceeds the limit, leaves no file, and removes the older entry")
    func tooLarge() async throws {
        let cache = folder.cache(byteLimit: 600_000)
        try await cache.store(entry(100), for: key(1))
        try await cache.store(entry(100), for: key(2))
        let writer = try await cache.writer(for: key(1), expectedByteCount: nil)
        var failures: [DataCacheError] = []
        for _ in 0..<4 {
            do { try await writer.append(Self.megabyte.prefix(270_000)) } catch { failures.append(error) }
        }
        guard case .tooLarge(let bytes, let allowed)? = failures.first else {
            Issue.record("\(failures)")
            return
        }
        #expect(bytes > allowed && allowed < 600_000)
        #expect(Set(failures).count == 1)
        await #expect(throws: failures[0]) { try await writer.finish(metadata: Data(), creationDate: testTime) }
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(folder.byteCount() <= fileSize(entry(100), key(2)))
        #expect(try await cache.status().byteCount == folder.byteCount())
    }

    /// The smaller entry is read into memory, the larger one from its open file.
    @Test(
        "a part can be read, even after the entry is replaced or removed",
        arguments: [200_000, 1_200_000])
    func readsParts(byteCount: Int) async throws {
        let cache = folder.cache(byteLimit: 4 << 20)
        let data = noise(byteCount, seed: 3)
        try await cache.store(DataCacheEntry(data: data, metadata: Data("m".utf8), creationDate: testTime), for: key(1))
        let reader = try #require(await cache.reader(for: key(1)))
        #expect(reader.byteCount == byteCount)
        #expect(reader.metadata == Data("m".utf8))
        #expect(reader.creationDate == testTime)
        try await cache.store(entry(10), for: key(1))
        try await cache.removeAll()
        for range in [
            0..<1, 65_535..<65_537, 0..<byteCount, 131_072..<196_608, byteCount - 1..<byteCount + 9, 7..<7,
            byteCount + 5..<byteCount + 6,
        ] {
            #expect(try await reader.bytes(in: range) == data[range.clamped(to: 0..<byteCount)], "\(range)")
        }
        #expect(try await cache.reader(for: key(1)) == nil)
    }

    @Test("a large entry with a damaged byte has no reader, and is removed")
    func damaged() async throws {
        let cache = folder.cache(byteLimit: 4 << 20)
        try await cache.store(entry(1_200_000), for: key(1))
        let file = try FileHandle(forUpdating: folder.file(key(1)))
        try file.seek(toOffset: 1_100_000)
        try file.write(contentsOf: Data([0, 1, 2, 3]))
        #expect(try await cache.reader(for: key(1)) == nil)
        try await cache.flush()
        #expect(!FileManager.default.fileExists(atPath: folder.file(key(1)).path))
    }

    @Test("a reader returns nil for bytes that are no longer in the file")
    func truncatedLater() async throws {
        let cache = folder.cache(byteLimit: 4 << 20)
        try await cache.store(entry(1_200_000), for: key(1))
        let reader = try #require(await cache.reader(for: key(1)))
        try FileHandle(forUpdating: folder.file(key(1))).truncate(atOffset: 70_000)
        #expect(try await reader.bytes(in: 0..<65_536) == entry(1_200_000).data.prefix(65_536))
        #expect(try await reader.bytes(in: 65_536..<80_000) == nil)
    }

    @Test("metadata and keys longer than a page are read")
    func longTail() async throws {
        let cache = folder.cache(byteLimit: 4 << 20)
        let metadata = noise(20_000, seed: 8)
        try await cache.store(
            DataCacheEntry(data: noise(1_200_000, seed: 1), metadata: metadata, creationDate: testTime), for: key(1))
        #expect(try await cache.reader(for: key(1))?.metadata == metadata)
    }
}
