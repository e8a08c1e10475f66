import Foundation
import ImageCore
import ImageDiskCaching
import Testing

@Suite("Disk cache and other processes")
struct ProcessTests {
    @Test("the file of a running writer stays, and that of an ended writer is removed")
    func staleTemporaries() async throws {
        let folder = TestFolder()
        try await folder.cache().store(entry(10), for: key(1))
        let (owned, stale) = ("\(folder.path)/tmp/1-1.part", "\(folder.path)/tmp/1-2.part")
        let system = POSIXFileSystem()
        try system.makeFolder("\(folder.path)/tmp")
        let writer = try system.create(owned)
        defer { system.close(writer) }
        try #require(try system.lock(writer))
        system.close(try system.create(stale))
        try await folder.cache().store(entry(10), for: key(2))
        #expect(FileManager.default.fileExists(atPath: owned))
        #expect(!FileManager.default.fileExists(atPath: stale))
    }

    @Test("an entry of another cache is found, and is counted and evicted after it was read")
    func servesUnindexed() async throws {
        let folder = TestFolder()
        let files = 2 * fileSize(entry(1_000), key(1))
        let cache = folder.cache(byteLimit: limit(2, files: files))
        try await cache.store(entry(1_000), for: key(1))
        try await cache.store(entry(1_000), for: key(2))
        try await folder.cache().store(entry(1_000), for: key(3))
        #expect(try await cache.entry(for: key(3)) == entry(1_000))
        #expect(folder.byteCount() == files)
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("an entry that another process removed is a miss and no longer counts")
    func noticesRemoval() async throws {
        let folder = TestFolder()
        let files = 2 * fileSize(entry(1_000), key(1))
        let cache = folder.cache(byteLimit: limit(2, files: files))
        try await cache.store(entry(1_000), for: key(1))
        try await cache.store(entry(1_000), for: key(2))
        try await folder.cache().remove(for: key(2))
        #expect(try await cache.entry(for: key(2)) == nil)
        try await cache.store(entry(1_000), for: key(3))
        #expect(try await cache.entry(for: key(1)) != nil)
    }
}
