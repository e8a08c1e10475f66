import Foundation
import ImageCore
import ImageDiskCaching
import Testing

@Suite("Disk cache and other processes")
struct ProcessTests {
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

    @Test("a file that somebody took for stale in the moment before it was locked is made anew")
    func swept() async throws {
        let folder = TestFolder()
        let isSwept = Flag()
        let fileSystem = InterceptedFileSystem { _, call throws(FileSystemFailure) in
            guard call == "lock", !isSwept.value else { return }
            isSwept.value = true
            for file in folder.files() where file.hasPrefix("tmp/") {
                try POSIXFileSystem().remove("\(folder.path)/\(file)")
            }
        }
        let cache = folder.cache(fileSystem: fileSystem)
        try await cache.store(entry(1_000), for: key(1))
        #expect(try await cache.entry(for: key(1)) == entry(1_000))
        #expect(isSwept.value)
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
