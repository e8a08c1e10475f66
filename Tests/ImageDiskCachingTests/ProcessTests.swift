import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// Room for about half of what the scenario stores, so that it evicts.
private let limit = 60_000
private let keyCount = 12

/// Stores, replaces, reads and removes at random, a fixed number of steps for a fixed seed. Every entry it stores can be
/// recognised as one of its own by `isGenuine`.
private func useAtRandom(_ cache: DiskDataCache, seed: UInt64, steps: Int) async throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<steps {
        let number = Int.random(in: 0..<keyCount, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try await cache.remove(for: key(number))
        case 1, 2:
            let found = try await cache.entry(for: key(number))
            try #require(isGenuine(found, number))
        default:
            let version = UInt64.random(in: 0..<20, using: &random)
            try await cache.store(genuine(number, version), for: key(number))
        }
    }
}

private func genuine(_ number: Int, _ version: UInt64) -> DataCacheEntry {
    entry(1_000 + Int(version) * 977, seed: version * 100 + UInt64(number))
}

/// True for nil, and for what `useAtRandom` may have stored under that key.
private func isGenuine(_ found: DataCacheEntry?, _ number: Int) -> Bool {
    guard let found else { return true }
    let words = String(decoding: found.metadata, as: UTF8.self).split(separator: " ")
    guard let seed = words.last.flatMap({ UInt64($0) }), seed % 100 == number else { return false }
    return found == genuine(number, seed / 100)
}

@Suite("Disk cache and the death of processes")
struct ProcessTests {
    private static let steps = 30
    private static let seed: UInt64 = 7

    /// How many system calls the scenario makes when nobody kills it.
    private static let callCount = Task {
        let fileSystem = InterceptedFileSystem()
        let folder = TestFolder()
        try await useAtRandom(folder.cache(byteLimit: limit, fileSystem: fileSystem), seed: seed, steps: steps)
        return fileSystem.log.count
    }

    @Test("killed before any system call or in the middle of a write, it leaves whole entries only", arguments: 0..<40)
    func killedAtCall(part: Int) async throws {
        let number = try await 1 + part * Self.callCount.value / 40
        let folder = TestFolder()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, number = number as Int] in
            let fileSystem = InterceptedFileSystem { call, _ throws(FileSystemFailure) in
                if call == number { kill(getpid(), SIGKILL) }
            }
            try await useAtRandom(Self.cache(path, fileSystem), seed: Self.seed, steps: Self.steps)
        }
        try await Self.expectSound(folder)
    }

    @Test("killed by another thread at a moment of its own, it leaves whole entries only", arguments: 0..<12)
    func killedFromOutside(part: Int) async throws {
        let folder = TestFolder()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, part = part as Int] in
            let fileSystem = InterceptedFileSystem()
            Thread.detachNewThread {
                while fileSystem.log.count < 40 + part * 61 {}
                kill(getpid(), SIGKILL)
            }
            try await useAtRandom(Self.cache(path, fileSystem), seed: UInt64(part), steps: 1_000_000)
        }
        try await Self.expectSound(folder)
    }

    private static func cache(_ path: String, _ fileSystem: any FileSystem) -> DiskDataCache {
        DiskDataCache(
            folder: EntryFolder(root: path, byteLimit: limit, fileSystem: fileSystem, now: { testTime }))
    }

    private static func expectSound(_ folder: TestFolder) async throws {
        #expect(folder.byteCount() <= limit)
        #expect(folder.files().filter { $0.hasPrefix("tmp/") }.count <= 1)
        let cache = folder.cache(byteLimit: limit)
        // First of all: a read would remove what is damaged.
        let report = try await cache.verify()
        #expect(report.damagedRemoved == 0)
        #expect(report.isSound)
        #expect(!folder.files().contains { $0.hasPrefix("tmp/") })
        for number in 0..<keyCount {
            let found = try await cache.entry(for: key(number))
            #expect(isGenuine(found, number))
        }
        try await useAtRandom(cache, seed: 99, steps: 5)
    }

    @Test("two processes that store, read and remove in one folder at once see each other's entries whole")
    func sharesFolder() async throws {
        let folder = TestFolder()
        let path = folder.path
        async let other = #expect(processExitsWith: .success) { [path = path as String] in
            try await useAtRandom(Self.cache(path, POSIXFileSystem()), seed: 1, steps: 300)
        }
        for round in 0..<10 {
            try await useAtRandom(folder.cache(byteLimit: limit), seed: UInt64(round) + 2, steps: 50)
        }
        _ = await other
        let report = try await folder.cache(byteLimit: limit).verify()
        #expect(report.damagedRemoved == 0)
        #expect(report.isSound)
    }

    @Test("a file that a living process writes is left alone; one whose writer is gone is removed")
    func staleTemporaries() async throws {
        let folder = TestFolder()
        try await folder.cache().store(entry(10), for: key(1))
        let (live, dead) = ("\(folder.path)/tmp/1-1.part", "\(folder.path)/tmp/1-2.part")
        let system = POSIXFileSystem()
        let writer = try system.create(live)
        defer { system.close(writer) }
        try #require(try system.lock(writer))
        system.close(try system.create(dead))
        try await folder.cache().store(entry(10), for: key(2))
        #expect(FileManager.default.fileExists(atPath: live))
        #expect(!FileManager.default.fileExists(atPath: dead))
    }

    @Test("another cache's entry is served, counted and evicted once it has been read")
    func adoptsNewcomers() async throws {
        let folder = TestFolder()
        let room = 2 * fileSize(entry(1_000), key(1))
        let cache = folder.cache(byteLimit: room)
        try await cache.store(entry(1_000), for: key(1))
        try await cache.store(entry(1_000), for: key(2))
        try await folder.cache().store(entry(1_000), for: key(3))
        #expect(try await cache.entry(for: key(3)) == entry(1_000))
        #expect(folder.byteCount() == room)
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("an entry that another process removed is a miss and no longer counts")
    func noticesRemoval() async throws {
        let folder = TestFolder()
        let room = 2 * fileSize(entry(1_000), key(1))
        let cache = folder.cache(byteLimit: room)
        try await cache.store(entry(1_000), for: key(1))
        try await cache.store(entry(1_000), for: key(2))
        try await folder.cache().remove(for: key(2))
        #expect(try await cache.entry(for: key(2)) == nil)
        try await cache.store(entry(1_000), for: key(3))
        #expect(try await cache.entry(for: key(1)) != nil)
    }
}
