import Foundation
import ImageCore
import ImageTesting
import Synchronization
import Testing

@testable import ImageDiskCaching

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Several caches on one folder")
struct SharingTests {
    private let folder = TestFolder()

    @Test("a writer that outlives its cache can finish, and leaves no open file")
    func outlivedCache() async throws {
        do {
            let writer = try await folder.cache().writer(for: key(1), expectedByteCount: 300_000)
            try await writer.append(noise(300_000, seed: 1))
            try await writer.finish(metadata: Data(), creationDate: testTime)
        }
        #expect(try await folder.cache().entry(for: key(1))?.data == noise(300_000, seed: 1))
        // A queue releases its last block soon after the call has returned.
        for _ in 0..<1_000 {
            if openFiles().isEmpty { return }
            await Task.yield()
        }
        Issue.record("open: \(openFiles())")
    }

    /// The files in the folder that this process has open.
    private func openFiles() -> [(path: String, number: Int32)] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.compactMap(Int32.init).compactMap { number in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return path.flatMap { $0.hasPrefix(folder.path) ? ($0, number) : nil }
        }
    }

    #if os(Linux)
        private func isRefused(_ cache: DiskDataCache) async throws -> Bool {
            do {
                try await cache.store(entry(9_000), for: key(9))
                return false
            } catch DataCacheError.conflictingOptions {
                return true
            } catch DataCacheError.tooLarge {
                return false
            }
        }

        @Test("a cache with another limit stores and evicts nothing while others use the folder")
        func conflictingOptions() async throws {
            func other() -> DiskDataCache { folder.cache(byteLimit: 10_000) }
            let caches = Mutex((0..<2).map { _ in folder.cache() })
            for number in 0..<3 {
                let cache = caches.withLock { $0[number % 2] }
                try await cache.store(entry(5_000), for: key(number))
            }
            #expect(try await isRefused(other()))
            let reader = folder.cache()
            for number in 0..<3 { #expect(try await reader.entry(for: key(number)) != nil) }
            caches.withLock { $0 = [] }
            let alone = other()
            #expect(try await !isRefused(alone))
            #expect(try await alone.entry(for: key(9)) != nil)
        }

        @Test("caches with the least or the largest limit share a folder, and only those", arguments: [0, 1, .max])
        func extremeLimits(byteLimit: Int) async throws {
            let caches = (0..<2).map { _ in folder.cache(byteLimit: byteLimit) }
            for cache in caches { #expect(try await !isRefused(cache)) }
            for other in [0, 1, 2, .max] where other != byteLimit {
                #expect(try await isRefused(folder.cache(byteLimit: other)), "\(other)")
            }
            withExtendedLifetime(caches) {}
        }

        @Test("a cache whose folder was created again refuses others with another limit, as before")
        func createdAgain() async throws {
            let cache = folder.cache()
            try await cache.store(entry(5_000), for: key(1))
            try FileManager.default.removeItem(at: folder.url)
            try await cache.store(entry(5_000), for: key(1))
            #expect(try await isRefused(folder.cache(byteLimit: 10_000)))
            #expect(try await cache.entry(for: key(1)) != nil)
        }

        @Test("a folder of another format that others use is not emptied by a cache with another limit")
        func otherFormatInUse() async throws {
            let cache = folder.cache()
            try await cache.store(entry(100), for: key(1))
            var counter = try Data(contentsOf: folder.usage)
            for index in [4, 20] { counter[index] ^= 3 }
            try counter.write(to: folder.usage)
            await #expect(throws: DataCacheError.self) { try await folder.cache(byteLimit: 10_000).status() }
            #expect(try await cache.entry(for: key(1)) != nil)
        }

        @Test("a cache that is released blocks no other, even while a process that was forked has its open files")
        func forkedProcess() async throws {
            var cache: DiskDataCache? = folder.cache()
            try await cache?.store(entry(5_000), for: key(1))
            let inherited = openFiles().map { dup($0.number) }
            defer { for file in inherited { close(file) } }
            #expect(inherited.count == 2)
            cache = nil
            #expect(try await !isRefused(folder.cache(byteLimit: 10_000)))
        }
    #endif

    @Test("the limit holds for all caches together at every system call, and each finds the entries of the others")
    func holdsLimitTogether() async throws {
        let fileSystem = folder.watched(9_000)
        let caches = (0..<3).map { _ in folder.cache(byteLimit: 9_000, fileSystem: fileSystem.files) }
        for step in 0..<60 {
            let stored = entry(500 + step * 731 % 2_000, seed: UInt64(step))
            try await caches[step % 3].store(stored, for: key(step % 11))
            #expect(try await caches[(step + 1) % 3].entry(for: key(step % 11)) == stored)
        }
        for cache in caches { #expect(try await cache.status().byteCount == folder.byteCount()) }
    }

    @Test("uses and stores in one cache determine the eviction order in another, which has scanned the folder before")
    func sharesUses() async throws {
        let limit = limit(files: 3 * fileSize(entry(500), key(1)))
        let first = folder.cache(byteLimit: limit)
        let second = folder.cache(byteLimit: limit)
        for number in 1...3 { try await first.store(entry(500), for: key(number)) }
        _ = try await second.status()
        _ = try await first.entry(for: key(1))
        try await first.flush()
        try await first.store(entry(500, seed: 2), for: key(2))
        try await second.store(entry(500), for: key(4))
        #expect(try await second.entry(for: key(3)) == nil)
        try await second.store(entry(500), for: key(5))
        #expect(try await second.entry(for: key(1)) == nil)
        #expect(try await second.entry(for: key(2)) == entry(500, seed: 2))
    }

    @Test("other caches can't use the space that is reserved for a stream")
    func keepsReservations() async throws {
        let limit = 920_000
        let first = folder.cache(byteLimit: limit)
        let second = folder.cache(byteLimit: limit, fileSystem: folder.watched(limit).files)
        let piece = noise(300_000, seed: 1)
        let writer = try await first.writer(for: key(1), expectedByteCount: 600_000)
        try await writer.append(piece)
        for number in 2...8 { try await second.store(entry(90_000), for: key(number)) }
        #expect(try await second.status().entryCount == 3, "the reserved space is not available")
        try await writer.append(piece)
        for number in 9...12 { try await second.store(entry(90_000), for: key(number)) }
        try await writer.finish(metadata: Data(), creationDate: testTime)
        #expect(try await second.entry(for: key(1))?.data == piece + piece)
        #expect(folder.totalByteCount() <= limit)
        await #expect(throws: DataCacheError.noSpace) {
            let writer = try await first.writer(for: key(1), expectedByteCount: 800_000)
            defer { withExtendedLifetime(writer) {} }
            try await second.store(entry(200_000), for: key(2))
        }
    }

    @Test("a writer whose folder was removed and created again fails, and leaves the files of other writers")
    func folderReplaced() async throws {
        let (first, second) = (folder.cache(), folder.cache())
        let writer = try await first.writer(for: key(1), expectedByteCount: 300_000)
        try await writer.append(noise(300_000, seed: 1))
        try FileManager.default.removeItem(at: folder.url)
        let other = try await second.writer(for: key(2), expectedByteCount: 300_000)
        try await other.append(noise(300_000, seed: 2))
        await #expect(throws: DataCacheError.self) { try await writer.finish(metadata: Data(), creationDate: testTime) }
        try await other.finish(metadata: Data(), creationDate: testTime)
        #expect(try await first.entry(for: key(1)) == nil)
        #expect(try await first.entry(for: key(2))?.data == noise(300_000, seed: 2))
        #expect(try await first.status().byteCount == folder.byteCount())
    }

    @Test("trim releases the lock after each 64 evictions")
    func trimsInBatches() async throws {
        let cache = folder.cache()
        for number in 1...100 { try await cache.store(entry(100), for: key(number)) }
        let fileSystem = FaultInjectingFileSystem()
        #expect(try await folder.cache(fileSystem: fileSystem.files).trim(to: 0).entryCount == 100)
        let batches = fileSystem.operations.split(separator: .lock).map { $0.filter { $0 == .remove }.count }
        #expect(batches.max() == 64)
        #expect(batches.reduce(0, +) == 100)
    }

    /// The folder is replaced before the store creates its part, as if another process had removed it and stored there.
    @Test("a store whose folder is replaced meanwhile fails, and the counter of the new folder is not too low")
    func folderReplacedWithinStore() async throws {
        try await folder.cache().store(entry(100), for: key(1))
        let isReplaced = Mutex(false)
        let fileSystem = FaultInjectingFileSystem { [folder] call in
            guard call.operation == .create, !isReplaced.withLock({ $0 }) else { return }
            isReplaced.withLock { $0 = true }
            let temporary = URL(filePath: call.path).deletingLastPathComponent()
            let usage = try Data(contentsOf: folder.usage)
            try FileManager.default.removeItem(at: folder.url)
            for subfolder in [temporary] + (1...2).map({ folder.file(key($0)).deletingLastPathComponent() }) {
                try FileManager.default.createDirectory(at: subfolder, withIntermediateDirectories: true)
            }
            // A folder with only the entry that the counter contains.
            try usage.write(to: folder.usage)
            try Data(count: fileSize(entry(100), key(1))).write(to: folder.file(key(1)))
        }
        let cache = folder.cache(fileSystem: fileSystem.files)
        await #expect(throws: DataCacheError.inaccessible("The folder was removed")) {
            try await cache.store(entry(5_000), for: key(2))
        }
        let counted = try Data(contentsOf: folder.usage)[8..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(counted >= folder.totalByteCount())
        #expect(!folder.hasUnfinishedFiles)
        try await cache.store(entry(5_000), for: key(2))
        #expect(try await cache.entry(for: key(2)) == entry(5_000))
    }
}
