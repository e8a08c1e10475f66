import Foundation
import ImageCore
import ImageDiskCaching
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Limits of the operating system, each in a separate process.
@Suite("Limits of the process")
struct RealLimitTests {
    @Test("without free file descriptors operations throw, and they work again later")
    func outOfDescriptors() async throws {
        let folder = TestFolder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let cache = Self.cache(path)
            try await cache.store(entry(1_000), for: key(1))
            let former = try Self.lower(Self.openFiles, to: 0)
            await #expect(throws: DataCacheError.io("openToRead: Too many open files")) {
                _ = try await cache.entry(for: key(1))
            }
            await #expect(throws: DataCacheError.self) { try await cache.store(entry(10), for: key(2)) }
            try Self.lower(Self.openFiles, to: former)
            #expect(try await cache.entry(for: key(1)) == entry(1_000))
            try await cache.store(entry(10), for: key(2))
            #expect(try await cache.entry(for: key(2)) == entry(10))
        }
    }

    @Test("if an entry exceeds the process's file size, its store fails, leaves no file, and removes the older entry")
    func fileTooLarge() async throws {
        let folder = TestFolder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            // Otherwise the signal for the exceeded limit would end the process.
            signal(SIGXFSZ, SIG_IGN)
            let cache = Self.cache(path)
            for number in 1...2 { try await cache.store(entry(1_000, seed: 1), for: key(number)) }
            let former = try Self.lower(Self.fileSize, to: 5_000)
            await #expect(throws: DataCacheError.io("write: File too large")) {
                try await cache.store(entry(9_000, seed: 2), for: key(1))
            }
            #expect(try await cache.entry(for: key(1)) == nil)
            #expect(try await cache.entry(for: key(2)) == entry(1_000, seed: 1))
            try Self.lower(Self.fileSize, to: former)
            try await cache.store(entry(9_000, seed: 2), for: key(1))
            #expect(try await cache.entry(for: key(1)) == entry(9_000, seed: 2))
        }
        #expect(!folder.hasUnfinishedFiles)
    }

    #if canImport(Glibc)
        private static let openFiles = Int32(RLIMIT_NOFILE.rawValue)
        private static let fileSize = Int32(RLIMIT_FSIZE.rawValue)
    #else
        private static let openFiles = RLIMIT_NOFILE
        private static let fileSize = RLIMIT_FSIZE
    #endif

    private static func cache(_ path: String) -> DiskDataCache {
        DiskDataCache(directory: URL(fileURLWithPath: path), byteLimit: 1 << 20, now: { testTime })
    }

    /// Sets the soft limit, and returns its earlier value.
    @discardableResult
    private static func lower(_ resource: Int32, to value: rlim_t) throws -> rlim_t {
        var limit = rlimit()
        try #require(unsafe getrlimit(resource, &limit) == 0)
        let former = limit.rlim_cur
        limit.rlim_cur = value
        try #require(unsafe setrlimit(resource, &limit) == 0)
        return former
    }
}
