import Foundation
import ImageCore
import Testing

@testable import ImageDiskCaching

@Suite("Maintenance of the disk cache")
struct MaintenanceTests {
    private let folder = TestFolder()
    private var cache: DiskDataCache { folder.cache() }

    @Test("status counts entries and their bytes, and has the times of the oldest and the newest use")
    func reportsStatus() async throws {
        let empty = try await cache.status()
        #expect(empty.entryCount == 0)
        #expect(empty.oldestUse == nil)
        for number in 1...3 {
            try await cache.store(entry(number * 100), for: key(number))
            folder.time.value += 60
        }
        let status = try await cache.status()
        #expect(status.entryCount == 3)
        #expect(status.byteCount == (1...3).reduce(0) { $0 + fileSize(entry($1 * 100), key($1)) })
        #expect(status.byteLimit == 1 << 20)
        #expect(abs(try #require(status.oldestUse).timeIntervalSince(testTime)) < 1)
        #expect(abs(try #require(status.newestUse).timeIntervalSince(testTime + 120)) < 1)
    }

    @Test("removeAll(unusedFor:) removes entries that were neither stored nor read for that time")
    func removesOld() async throws {
        let day = 86_400.0
        let cache = cache
        for number in 1...3 { try await cache.store(entry(100), for: key(number)) }
        folder.time.value += 5 * day
        _ = try await cache.entry(for: key(2))
        folder.time.value += 5 * day
        try await cache.store(entry(100), for: key(4))
        let removal = try await cache.removeAll(unusedFor: .seconds(7 * day))
        #expect(removal.entryCount == 2)
        #expect(removal.byteCount == 2 * fileSize(entry(100), key(1)))
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(try await cache.entry(for: key(2)) != nil)
        #expect(try await cache.entry(for: key(4)) != nil)
    }

    @Test("trim removes the least recently used entries down to a size, and the limit doesn't change")
    func trims() async throws {
        let cache = cache
        for number in 1...5 { try await cache.store(entry(1_000), for: key(number)) }
        let size = fileSize(entry(1_000), key(1))
        #expect(try await cache.trim(to: 2 * size + 10).entryCount == 3)
        #expect(folder.byteCount() == 2 * size)
        #expect(try await cache.entry(for: key(4)) != nil)
        #expect(try await cache.trim(to: 0).entryCount == 2)
        #expect(folder.byteCount() == 0)
        #expect(cache.byteLimit == 1 << 20)
    }

    @Test("status removes nothing, even if the contents exceed the limit")
    func statusRemovesNothing() async throws {
        for number in 1...5 { try await cache.store(entry(1_000), for: key(number)) }
        #expect(try await folder.cache(byteLimit: 1_000).status().entryCount == 5)
        #expect(folder.files().count == 5)
    }

    @Test("an entry with a time far in the future is evicted first, and neither stays forever nor evicts others")
    func futureTimes() async throws {
        folder.time.value += 1_000 * 86_400
        try await folder.cache().store(entry(1_000), for: key(1))
        folder.time.value = testTime
        let later = folder.cache(byteLimit: limit(files: 2 * fileSize(entry(1_000), key(1))))
        try await later.store(entry(1_000), for: key(2))
        try await later.store(entry(1_000), for: key(3))
        #expect(try await later.entry(for: key(1)) == nil)
        #expect(try await later.entry(for: key(2)) != nil)
        folder.time.value += 8 * 86_400
        #expect(try await later.removeAll(unusedFor: .seconds(7 * 86_400)).entryCount == 2)
    }

    @Test("while the disk blocks a write, the uses of no more than 1,024 hits are remembered")
    func boundsUses() async throws {
        let earlier = cache
        for number in 1...1_100 { try await earlier.store(entry(1), for: key(number)) }
        let (isBlocked, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let fileSystem = FaultInjectingFileSystem { call in
            guard call.operation == .create else { return }
            isBlocked.signal()
            isReleased.wait()
        }
        let cache = folder.cache(fileSystem: fileSystem.files)
        async let stored: Void = cache.store(entry(1), for: key(0))
        await Self.wait(for: isBlocked)
        for number in 1...1_100 { _ = try await cache.entry(for: key(number)) }
        isReleased.signal()
        try await stored
        try await cache.flush()
        #expect(fileSystem.operations.count { $0 == .setModified } == 1_025)
    }

    /// Waits on a thread of its own.
    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    @Test("an entry that is replaced isn't as old as the last use of the older one")
    func forgetsUses() async throws {
        let cache = cache
        for number in 1...2 { try await cache.store(entry(1), for: key(number)) }
        for number in 1...2 { _ = try await cache.entry(for: key(number)) }
        try await cache.store(entry(2), for: key(1))
        try await cache.flush()
        try await cache.trim(to: fileSize(entry(2), key(1)))
        #expect(try await cache.entry(for: key(1)) == entry(2))
    }

    @Test("hits are written to the files after 256 of them, and by flush")
    func writesUses() async throws {
        let fileSystem = FaultInjectingFileSystem()
        let cache = folder.cache(fileSystem: fileSystem.files)
        for number in 1...256 { try await cache.store(entry(1), for: key(number)) }
        func writes() -> Int { fileSystem.operations.count { $0 == .setModified } - 256 }
        for number in 1...255 { _ = try await cache.entry(for: key(number)) }
        #expect(writes() == 0)
        _ = try await cache.entry(for: key(256))
        // The cache writes the times in the background, before this removal.
        try await cache.remove(for: key(0))
        #expect(writes() == 256)
        _ = try await cache.entry(for: key(1))
        try await cache.flush()
        #expect(writes() == 257)
        for _ in 0..<256 { _ = try await cache.entry(for: key(1)) }
        try await cache.remove(for: key(0))
        #expect(writes() == 258, "hits of one entry count, too")
    }

    @Test("hits are written to the files when the cache is released")
    func writesUsesOnRelease() async throws {
        let fileSystem = FaultInjectingFileSystem()
        var cache: DiskDataCache? = folder.cache(fileSystem: fileSystem.files)
        try await cache?.store(entry(1), for: key(1))
        // It outlives the cache, whose last change runs before this writer's.
        let writer = try await cache?.writer(for: key(2), expectedByteCount: nil)
        _ = try await cache?.entry(for: key(1))
        cache = nil
        await writer?.cancel()
        #expect(fileSystem.operations.count { $0 == .setModified } == 2)
    }
}
