import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization
import Testing

/// The cost of an index update depends on the number of changes, not on the number of entries.
@Suite("The index in bounded steps")
struct IndexStepTests {
    private let folder = TestFolder()

    @Test("after many removals the table becomes shorter in small steps, and the eviction order stays the same")
    func compactsInSteps() async throws {
        let fileSystem = CountingFileSystem()
        let cache = folder.cache(fileSystem: fileSystem)
        for number in 0..<1_200 { try await cache.store(entry(1), for: key(number)) }
        for number in [7, 3] { _ = try await cache.entry(for: key(number)) }
        try await cache.trim(to: 100 * fileSize(entry(1), key(1_100)))
        for _ in 0..<4 { _ = try await cache.status() }
        // The journal, of up to a 64th of a MiB, is restarted several times, and 64 entries are moved.
        #expect(fileSystem.mostWritten <= 2 * (1 << 20) / 64)
        #expect(folder.indexByteCount() <= (2 * 100 + 2 * 256 + 2) * JournalFormat.slotSize)
        let count = try await cache.status().entryCount
        let later = folder.cache()
        #expect(try await later.status().entryCount == count)
        try await later.trim(to: 2 * fileSize(entry(1), key(1)))
        for number in [7, 3] { #expect(try await later.entry(for: key(number)) == entry(1)) }
    }

    @Test(
        "if another cache has restarted the journal, its changes are read, and the rest is kept",
        arguments: [0, 3])
    func readsChanges(vacant: Int) async throws {
        let policy = CountingPolicy()
        let first = folder.cache()
        for number in 0..<300 { try await first.store(entry(1), for: key(number)) }
        for number in 0..<vacant { try await first.remove(for: key(number)) }
        let second = cache(policy)
        _ = try await second.status()
        #expect(policy.insertCount == 300 - vacant)
        _ = try await second.entry(for: key(5))
        // More than the journal can contain.
        for round in 0..<300 { try await first.store(entry(1), for: key(200 + round % 30)) }
        for number in 290..<300 { try await first.remove(for: key(number)) }
        try await first.store(entry(700), for: key(310))
        #expect(try await second.status() == first.status())
        #expect(policy.insertCount - (300 - vacant) <= 256 + 30)
        try await second.trim(to: fileSize(entry(700), key(310)) + 31 * fileSize(entry(1), key(100)))
        for number in [5, 200, 229] { #expect(try await second.entry(for: key(number)) == entry(1)) }
        #expect(try await second.entry(for: key(150)) == nil)
    }

    @Test("a table that is altered while another cache restarts the journal loses no entry")
    func damagedMeanwhile() async throws {
        let (first, second) = (folder.cache(), folder.cache())
        for number in 0..<300 { try await first.store(entry(1), for: key(number)) }
        _ = try await second.status()
        for round in 0..<300 { try await first.store(entry(2), for: key(round % 30)) }
        let table = folder.url.appending(path: "entries.table")
        for isCut in [false, true] {
            var bytes = try Data(contentsOf: table)
            if isCut { bytes.removeLast(64) } else { bytes[5 * 64 + 20] ^= 1 }
            try bytes.write(to: table)
            #expect(try await second.status().entryCount == 300)
            for number in [0, 5, 299] { #expect(try await second.entry(for: key(number)) != nil) }
            for round in 0..<300 { try await first.store(entry(2), for: key(round % 30)) }
        }
    }

    @Test("the journal never exceeds its maximum length while the folder is locked")
    func journalIsBounded() async throws {
        let journal = folder.path + "/entries.index"
        let longest = Mutex(0)
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { _ throws(FileSystemFailure) in
            let length = try? POSIXFileSystem().status(at: journal).byteCount
            longest.withLock { $0 = max($0, length ?? 0) }
        }
        let cache = folder.cache(byteLimit: 40_000, fileSystem: fileSystem)
        for number in 0..<40 { try await cache.store(entry(1), for: key(number)) }
        try await cache.trim(to: 0)
        // The head, nine events, and a reservation.
        #expect(longest.withLock { $0 } == 11 * JournalFormat.slotSize)
    }

    @Test("a partly written event is removed without listing the folder")
    func removesPartialEvents() async throws {
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
        let cache = folder.cache(fileSystem: fileSystem)
        for number in 1...2 { try await cache.store(entry(1), for: key(number)) }
        let before = fileSystem.operations.count { $0 == .list }
        // The first half of the event is written.
        fileSystem.fail(.call(1), of: [.writeRest], with: ENOSPC)
        await #expect(throws: DataCacheFailure.noSpace) { try await cache.remove(for: key(1)) }
        try fileSystem.expectAllFaultsUsed()
        #expect(try await cache.status().entryCount == 2)
        try await cache.remove(for: key(1))
        #expect(try await cache.status().entryCount == 1)
        #expect(fileSystem.operations.count { $0 == .list } == before)
    }

    @Test("if another cache creates a new index after the old one was removed, both caches use it")
    func findsNewIndex() async throws {
        let (first, second) = (folder.cache(), folder.cache())
        try await first.store(entry(1), for: key(1))
        try FileManager.default.removeItem(at: folder.url.appending(path: "entries.index"))
        try await second.store(entry(1), for: key(2))
        try await first.store(entry(1), for: key(3))
        #expect(try await first.status().entryCount == 3)
        #expect(try await second.status().entryCount == 3)
        #expect(try await folder.cache().status().entryCount == 3)
    }

    @Test("a use with a time far in the future counts as a use now")
    func wrongClock() async throws {
        try await folder.cache().store(entry(1), for: key(1))
        let wrong = folder.cache(now: { testTime + 86_400 })
        _ = try await wrong.status()
        _ = try await wrong.entry(for: key(1))
        try await wrong.flush()
        let newest = try #require(try await folder.cache().status().newestUse)
        #expect(newest < testTime + 3_600)
    }

    private func cache(_ policy: CountingPolicy) -> DiskDataCache {
        var options = DiskCacheOptions()
        (options.policy, options.minimumFreeSpace) = (policy, 0)
        return DiskDataCache(
            folder: EntryFolder(root: folder.path, byteLimit: 1 << 20, options: options, now: { testTime }))
    }
}

/// Evicts the least recently used entry, and counts the inserted entries.
private struct CountingPolicy: DiskEvictionPolicy {
    private final class Count: Sendable {
        let value = Mutex(0)
    }

    private let count = Count()
    private var base = LeastRecentlyUsed()

    var insertCount: Int { count.value.withLock { $0 } }

    mutating func insert(_ slot: Int, byteCount: Int) {
        count.value.withLock { $0 += 1 }
        base.insert(slot, byteCount: byteCount)
    }

    mutating func use(_ slot: Int) { base.use(slot) }
    mutating func move(_ slot: Int, to newSlot: Int) { base.move(slot, to: newSlot) }
    mutating func remove(_ slot: Int) { base.remove(slot) }
    mutating func victim() -> Int? { base.victim() }
}

/// Counts the bytes that are written to the index while the folder is locked.
private final class CountingFileSystem: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()
    private let counts = Mutex((now: 0, most: 0))

    var mostWritten: Int { counts.withLock { $0.most } }

    func waitForLock(_ file: Int32) throws(FileSystemFailure) {
        try POSIXFileSystem().waitForLock(file)
        counts.withLock { $0.now = 0 }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(FileSystemFailure) {
        try unsafe POSIXFileSystem().write(bytes, to: file, at: offset)
        counts.withLock { counts in
            counts.now += bytes.count
            counts.most = max(counts.most, counts.now)
        }
    }
}
