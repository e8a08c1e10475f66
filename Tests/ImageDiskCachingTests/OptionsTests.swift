import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("Options of the disk cache")
struct OptionsTests {
    private let folder = TestFolder()

    private func cache(
        byteLimit: Int = 1 << 20, fileSystem: any FileSystem = POSIXFileSystem(),
        now: @escaping @Sendable () -> Date = { testTime }, _ change: (inout DiskCacheOptions) -> Void
    ) -> DiskDataCache {
        var options = DiskCacheOptions()
        options.minimumFreeSpace = 0
        change(&options)
        return DiskDataCache(
            folder: EntryFolder(
                root: folder.path, byteLimit: byteLimit, options: options, fileSystem: fileSystem, now: now))
    }

    @Test("an entry that was not used for longer than the age limit is a miss and is removed; a use keeps it")
    func ageLimit() async throws {
        let time = SettableTime(testTime)
        let cache = cache(now: { time.value }) { $0.ageLimit = .seconds(100) }
        for number in 1...3 { try await cache.store(entry(100), for: key(number)) }
        time.value += 60
        #expect(try await cache.entry(for: key(1)) != nil)
        time.value += 60
        #expect(try await cache.entry(for: key(1)) != nil)
        #expect(try await cache.entry(for: key(2)) == nil)
        #expect(folder.files().count == 2)
        try await cache.store(entry(100), for: key(4))
        #expect(folder.files().count == 2)
        #expect(cache.statistics.evictions[.age]?.entryCount == 2)
    }

    @Test("the age limit applies to entries from a time when the clock was ahead")
    func ageLimitAfterWrongClock() async throws {
        let time = SettableTime(testTime + 315_360_000)
        let cache = cache(now: { time.value }) { $0.ageLimit = .seconds(100) }
        for number in 1...2 { try await cache.store(entry(100), for: key(number)) }
        time.value = testTime
        try await cache.store(entry(100), for: key(3))
        time.value += 60
        #expect(try await cache.entry(for: key(1)) != nil)
        time.value += 60
        #expect(try await cache.entry(for: key(1)) != nil)
        #expect(try await cache.entry(for: key(2)) == nil)
        #expect(try await cache.entry(for: key(3)) == nil)
        #expect(cache.statistics.evictions[.age]?.entryCount == 2)
    }

    @Test("the cache evicts entries to keep free space, and stores throw if that is not enough")
    func minimumFreeSpace() async throws {
        let size = fileSize(entry(1_000), key(1))
        let disk = SmallDisk(folder: folder, byteCount: 10 * size + 2 * JournalFormat.slotSize)
        let cache = cache(fileSystem: disk) { $0.minimumFreeSpace = 6 * size }
        for number in 1...8 { try await cache.store(entry(1_000), for: key(number)) }
        #expect(folder.byteCount() == 4 * size)
        #expect(try await cache.entry(for: key(8)) != nil)
        #expect(cache.statistics.evictions[.freeSpace]?.entryCount == 4)
        let full = self.cache(fileSystem: disk) { $0.minimumFreeSpace = 20 * size }
        await #expect(throws: DataCacheFailure.noSpace) { try await full.store(entry(1_000), for: key(9)) }
    }

    @Test("a lower limit applies when the call returns, and a higher one allows more entries")
    func changesLimit() async throws {
        let size = fileSize(entry(1_000), key(10))
        let cache = cache { _ in }
        for number in 10...49 { try await cache.store(entry(1_000), for: key(number)) }
        let lower = limit(3, files: 3 * size, vacant: 11)
        try await cache.setByteLimit(lower)
        #expect(folder.byteCount() == 3 * size)
        #expect(cache.byteLimit == lower)
        try await cache.store(entry(1_000), for: key(50))
        #expect(folder.byteCount() == 3 * size)
        try await cache.setByteLimit(limit(5, files: 5 * size, vacant: 9))
        for number in 51...60 { try await cache.store(entry(1_000), for: key(number)) }
        #expect(folder.byteCount() == 5 * size)
        #expect(try await cache.entry(for: key(60)) != nil)
    }

    @Test("another policy evicts other entries")
    func policy() async throws {
        let cache = cache(byteLimit: limit(2, files: 2 * fileSize(entry(100), key(1)))) {
            $0.policy = FirstInFirstOut()
        }
        for number in 1...2 { try await cache.store(entry(100), for: key(number)) }
        _ = try await cache.entry(for: key(1))
        try await cache.store(entry(100), for: key(3))
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(try await cache.entry(for: key(2)) != nil)
    }

    @Test(
        "a layout moves the entries of the other layout",
        arguments: [true, false])
    func layouts(flatFirst: Bool) async throws {
        let (first, second): (DiskLayout, DiskLayout) = flatFirst ? (.flat, .sharded) : (.sharded, .flat)
        let older = cache { $0.layout = first }
        for number in 1...3 { try await older.store(entry(100), for: key(number)) }
        #expect(folder.files().allSatisfy { $0.contains("/") != flatFirst })
        let newer = cache { $0.layout = second }
        try await newer.store(entry(100), for: key(4))
        #expect(folder.files().allSatisfy { $0.contains("/") == flatFirst })
        for number in 1...4 { #expect(try await newer.entry(for: key(number)) == entry(100)) }
        #expect(try await newer.verify().entriesChecked == 4)
    }

    @Test("names can be custom digests, and keys with the same digest never return each other's data")
    func naming() async throws {
        let cache = cache {
            $0.naming = .digest { SIMD4(UInt64($0.source.utf8.count), 0, 0, 0xFF) }
        }
        try await cache.store(entry(100), for: key(1))
        #expect(folder.files().first?.hasSuffix("00000000000000ff") == true)
        #expect(try await cache.entry(for: key(1)) == entry(100))
        try await cache.store(entry(100, seed: 2), for: key(2))
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(try await cache.entry(for: key(2)) == entry(100, seed: 2))
        #expect(try await cache.verify().damagedRemoved == 0)
    }

    @Test("with the durability data, the file is synchronized before the rename, and the folder is not")
    func dataDurability() async throws {
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
        let cache = cache(fileSystem: fileSystem) { $0.durability = .data }
        try await cache.store(entry(100), for: key(1))
        let calls = fileSystem.operations.filter { [.synchronize, .synchronizeFolder, .rename].contains($0) }
        #expect(calls == [.synchronize, .rename, .rename])
    }

    @Test("hits, misses, stores and evictions are counted, by cause")
    func statistics() async throws {
        let size = fileSize(entry(100), key(1))
        let cache = cache(byteLimit: limit(2, files: 2 * size)) { _ in }
        for number in 1...3 { try await cache.store(entry(100), for: key(number)) }
        for number in 1...3 { _ = try await cache.entry(for: key(number)) }
        try Data([1]).write(to: folder.file(key(3)))
        _ = try await cache.entry(for: key(3))
        try await cache.trim(to: 0)
        var expected = DiskCacheStatistics()
        expected.hits = 2
        expected.misses = 2
        expected.stored = 3
        expected.damaged = 1
        expected.evictions[.limit] = DiskCacheRemoval(entryCount: 1, byteCount: size)
        expected.evictions[.trim] = DiskCacheRemoval(entryCount: 1, byteCount: size)
        #expect(cache.statistics == expected)
    }

    @Test("a task on the cache's executor stores without a thread switch")
    func storesOnExecutor() async throws {
        let cache = TestFolder().cache()
        let isTurn = Flag()
        try await withTaskExecutorPreference(cache.executor) {
            let next = Task(executorPreference: cache.executor) { isTurn.value = true }
            try await cache.store(entry(100), for: key(1))
            try await cache.remove(for: key(1))
            #expect(!isTurn.value)
            await next.value
        }
        #expect(isTurn.value)
    }
}
