import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// With the durability `powerLoss`, removed entries don't reappear after a power cut that loses all unsynchronized
/// changes.
@Suite("Power cuts after removals")
struct PowerCutRemovalTests {
    private let disk = SimulatedDisk()
    private static let root = "/caches/images"
    private static let fileSize = ImageDiskCachingTests.fileSize(entry(500), key(1))

    private func cache(
        _ count: Int = 100, _ durability: DiskDurability = .powerLoss, layout: DiskLayout = .sharded,
        on disk: SimulatedDisk? = nil
    ) -> DiskDataCache {
        var options = DiskCacheOptions()
        (options.durability, options.layout, options.minimumFreeSpace) = (durability, layout, 0)
        let folder = EntryFolder(
            root: Self.root, byteLimit: limit(count, files: count * Self.fileSize), options: options,
            fileSystem: disk ?? self.disk, now: { testTime })
        return DiskDataCache(folder: folder)
    }

    /// Returns the paths of the entries that exist after the cut.
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

    @Test("an entry that a store evicted stays removed, so that the limit holds without further evictions")
    func evicted() async throws {
        let cache = cache(3)
        try await store(1...5, in: cache)
        #expect(survivors() == Set((3...5).map(Self.path)))
        // Otherwise an acknowledged entry would be evicted to meet the limit.
        let later = self.cache(3, on: disk.restarted(after: .everything))
        for number in 3...5 { #expect(try await later.entry(for: key(number)) == entry(500)) }
    }

    @Test("an entry that a stream evicted stays removed")
    func evictedByStream() async throws {
        let cache = cache(3)
        try await store(1...3, in: cache)
        let writer = try await cache.writer(for: key(4), expectedByteCount: nil)
        try await writer.append(entry(500).data)
        try await writer.finish(metadata: entry(500).metadata, createdAt: entry(500).createdAt)
        #expect(survivors() == Set((2...4).map(Self.path)))
    }

    @Test("an entry that another process evicted without synchronization stays removed after remove is called")
    func evictedElsewhere() async throws {
        try await store(1...3, in: cache(3))
        let other = cache(3, .processCrash)
        try await store(4...4, in: other)
        #expect(survivors().contains(Self.path(1)), "its eviction is not synchronized")
        try await cache(3).remove(for: key(1))
        #expect(!survivors().contains(Self.path(1)))
    }

    @Test("trimmed and expired entries stay removed")
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

    @Test("an entry that moved to another layout does not reappear at its old path")
    func movedToLayout() async throws {
        try await store(1...1, in: cache(layout: .sharded))
        let flat = cache(layout: .flat)
        try await flat.store(entry(500, seed: 2), for: key(1))
        #expect(survivors() == ["\(Self.root)/\(EntryName(key(1)).text)"])
    }

    @Test("removing a missing entry is not an error, even if its folder is missing")
    func absent() async throws {
        let cache = cache()
        try await cache.remove(for: key(1))
        try await store(1...1, in: cache)
        try await cache.remove(for: key(2))
        #expect(survivors() == [Self.path(1)])
    }

    @Test("an entry survives a cut although its subfolder was removed meanwhile")
    func subfolderRemoved() async throws {
        let cache = cache()
        try await store(1...1, in: cache)
        try disk.removeFolder("\(Self.root)/\(EntryName(key(1)).shard)")
        try disk.synchronizeFolder(Self.root)
        try await store(1...1, in: cache)
        #expect(survivors() == [Self.path(1)])
    }

    @Test("a subfolder that is removed between a removal and its synchronization is not an error")
    func subfolderRemovedDuringTrim() async throws {
        let (folder, isRemoving) = (TestFolder(), Flag())
        let subfolder = folder.file(key(1)).deletingLastPathComponent()
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call in
            if call.operation == .synchronizeFolder, isRemoving.value {
                try? FileManager.default.removeItem(at: subfolder)
            }
        }
        let cache = folder.cache(durability: .powerLoss, fileSystem: fileSystem)
        try await store(1...1, in: cache)
        isRemoving.value = true
        try await cache.trim(to: 0)
        #expect(!FileManager.default.fileExists(atPath: subfolder.path))
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("with the durability processCrash, evictions and removals synchronize nothing")
    func synchronizesNothing() async throws {
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
