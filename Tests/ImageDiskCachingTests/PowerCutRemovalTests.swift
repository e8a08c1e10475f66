import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// With the durability `powerLoss`, what has gone does not come back after a power cut in which all that was not synchronised is lost.
@Suite("Power cuts and what was removed before")
struct PowerCutRemovalTests {
    private let disk = SimulatedDisk()
    private static let root = "/caches/images"
    private static let fileSize = ImageDiskCachingTests.fileSize(entry(500), key(1))

    private func cache(
        _ count: Int = 100, _ durability: DiskDurability = .powerLoss, layout: DiskLayout = .sharded,
        on disk: SimulatedDisk? = nil
    ) -> DiskDataCache {
        var options = DiskCacheOptions()
        (options.durability, options.layout, options.freeSpaceFloor) = (durability, layout, 0)
        let folder = EntryFolder(
            root: Self.root, byteLimit: limit(count, files: count * Self.fileSize), options: options,
            fileSystem: disk ?? self.disk, now: { testTime })
        return DiskDataCache(folder: folder)
    }

    /// The files of entries that are there after the cut.
    private func survivors() -> Set<String> {
        Set(disk.restarted(after: .everything).paths.filter { $0.utf8.count > 64 })
    }

    private static func path(_ number: Int) -> String {
        let name = EntryName(key(number))
        return "\(root)/\(name.shard)/\(name.text)"
    }

    private func store(_ numbers: ClosedRange<Int>, in cache: DiskDataCache) async throws {
        for number in numbers { try await cache.store(entry(500), for: key(number)) }
    }

    @Test("what a store evicted stays away, so that the folder is within its limit and nothing else has to go for it")
    func evicted() async throws {
        let cache = cache(3)
        try await store(1...5, in: cache)
        #expect(survivors() == Set((3...5).map(Self.path)))
        // The entry that is next to go after the one that came back would be lost, though its store had been acknowledged.
        let later = self.cache(3, on: disk.restarted(after: .everything))
        for number in 3...5 { #expect(try await later.entry(for: key(number)) == entry(500)) }
    }

    @Test("what a stream evicted stays away")
    func evictedByStream() async throws {
        let cache = cache(3)
        try await store(1...3, in: cache)
        let writer = try await cache.writer(for: key(4), expectedByteCount: nil)
        try await writer.append(entry(500).data)
        try await writer.finish(metadata: entry(500).metadata, createdAt: entry(500).createdAt)
        #expect(survivors() == Set((2...4).map(Self.path)))
    }

    @Test("an entry that another process evicted, which died before that was on the device, is gone when it is removed")
    func evictedElsewhere() async throws {
        try await store(1...3, in: cache(3))
        let other = cache(3, .processCrash)
        try await store(4...4, in: other)
        #expect(survivors().contains(Self.path(1)), "it was evicted, but not for good")
        try await cache(3).remove(for: key(1))
        #expect(!survivors().contains(Self.path(1)))
    }

    @Test("what was trimmed away, or had not been used for too long, stays away")
    func trimmed() async throws {
        let cache = cache()
        try await store(1...9, in: cache)
        try await cache.trim(to: 5 * Self.fileSize)
        #expect(survivors() == Set((5...9).map(Self.path)))
        try await cache.setByteLimit(limit(3, files: 3 * Self.fileSize, vacant: 6))
        #expect(survivors() == Set((7...9).map(Self.path)))
        try await cache.removeAll(olderThan: .seconds(-1))
        #expect(survivors() == [])
    }

    @Test("an entry that moved to where another layout has it does not come back, older, where it was")
    func movedHome() async throws {
        try await store(1...1, in: cache(layout: .sharded))
        let flat = cache(layout: .flat)
        try await flat.store(entry(500, seed: 2), for: key(1))
        #expect(survivors() == ["\(Self.root)/\(EntryName(key(1)).text)"])
    }

    @Test("removing what is not there is no error, whether or not there is a folder for it")
    func absent() async throws {
        let cache = cache()
        try await cache.remove(for: key(1))
        try await store(1...1, in: cache)
        try await cache.remove(for: key(2))
        #expect(survivors() == [Self.path(1)])
    }

    @Test("an entry is there after a cut although its subfolder had been removed meanwhile")
    func subfolderRemoved() async throws {
        let cache = cache()
        try await store(1...1, in: cache)
        try disk.removeFolder("\(Self.root)/\(EntryName(key(1)).shard)")
        try disk.synchronizeFolder(Self.root)
        try await store(1...1, in: cache)
        #expect(survivors() == [Self.path(1)])
    }

    @Test("a subfolder that vanishes between a removal and its synchronisation took the entry along: that is no error")
    func subfolderVanishes() async throws {
        let (folder, vanishes) = (TestFolder(), Flag())
        let subfolder = folder.file(key(1)).deletingLastPathComponent()
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call in
            if call.operation == .synchronizeFolder, vanishes.value {
                try? FileManager.default.removeItem(at: subfolder)
            }
        }
        let cache = folder.cache(durability: .powerLoss, fileSystem: fileSystem)
        try await store(1...1, in: cache)
        vanishes.value = true
        try await cache.trim(to: 0)
        #expect(!FileManager.default.fileExists(atPath: subfolder.path))
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("without durability nothing is synchronised, whatever is evicted or removed")
    func costsNothing() async throws {
        let folder = TestFolder()
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
        let cache = folder.cache(
            byteLimit: limit(3, files: 3 * Self.fileSize), durability: .processCrash, fileSystem: fileSystem)
        try await store(1...6, in: cache)
        try await cache.remove(for: key(6))
        try await cache.trim(to: 0)
        #expect(!fileSystem.operations.contains { [.synchronize, .synchronizeFolder].contains($0) })
    }
}
