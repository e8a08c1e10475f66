import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageDiskCaching

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Disk cache")
struct DiskDataCacheTests {
    private let folder = TestFolder()

    @Test("creating a cache does not access the folder, and reading does not create it")
    func readsWithoutFolder() async throws {
        let cache = folder.cache()
        #expect(try await cache.entry(for: key(1)) == nil)
        try await cache.remove(for: key(1))
        try await cache.removeAll()
        #expect(try await cache.status().entryCount == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("only the user can open the folders")
    func permissions() async throws {
        try await folder.cache().store(entry(100), for: key(1))
        for name in ["", "tmp"] + folder.files().map({ String($0.prefix(2)) }) {
            let path = folder.url.appending(path: name).path
            guard FileManager.default.fileExists(atPath: path) else { continue }
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test("an entry is one file, and no temporary file is left")
    func oneFile() async throws {
        try await folder.cache().store(entry(100), for: key(1))
        #expect(folder.files().map { folder.url.appending(path: $0).path } == [folder.file(key(1)).path])
        #expect(folder.byteCount() == fileSize(entry(100), key(1)))
    }

    @Test("the least recently used entry is evicted first, including uses before a relaunch")
    func evictsByRecencyAcrossLaunches() async throws {
        let limit = limit(files: 3 * fileSize(entry(1_000), key(1)))
        let first = folder.cache(byteLimit: limit)
        for number in 1...3 { try await first.store(entry(1_000), for: key(number)) }
        _ = try await first.entry(for: key(1))
        try await first.flush()

        let second = folder.cache(byteLimit: limit)
        _ = try await second.entry(for: key(2))
        try await second.store(entry(1_000), for: key(4))

        let third = folder.cache(byteLimit: limit)
        #expect(try await third.entry(for: key(3)) == nil)
        try await third.store(entry(1_000), for: key(5))
        #expect(try await third.entry(for: key(1)) == nil)
        #expect(try await third.entry(for: key(2)) != nil)
        #expect(try await third.entry(for: key(4)) != nil)
    }

    @Test("a limit that is lower at the next launch applies as soon as the cache is used", arguments: [true, false])
    func lowerLimit(isStored: Bool) async throws {
        do {
            let first = folder.cache()
            for number in 1...8 { try await first.store(entry(1_000), for: key(number)) }
        }
        let files = 3 * fileSize(entry(1_000), key(1))
        let second = folder.cache(byteLimit: limit(files: files))
        if isStored { try await second.store(entry(1_000), for: key(9)) }
        // It comes after the work in the background.
        try await second.remove(for: key(99))
        #expect(folder.byteCount() == files)
        #expect(try await second.entry(for: key(8)) != nil)
        #expect(try await second.entry(for: key(isStored ? 6 : 5)) == nil)
    }

    @Test(
        "rejects an entry above the limit with its size, evicts no other entry, and removes the older one for its key"
    )
    func refusesTooLarge() async throws {
        let limit = limit(files: 2 * fileSize(entry(1_000), key(1)))
        let cache = folder.cache(byteLimit: limit)
        try await cache.store(entry(1_000), for: key(1))
        try await cache.store(entry(1_000), for: key(2))
        let large = entry(5_000)
        let allowed = limit - 24
        await #expect(throws: DataCacheError.tooLarge(byteCount: fileSize(large, key(2)), byteLimit: allowed)) {
            try await cache.store(large, for: key(2))
        }
        #expect(try await cache.entry(for: key(1)) != nil)
        #expect(try await cache.entry(for: key(2)) == nil)
    }

    @Test("files never exceed the limit, not even between two system calls of a store")
    func holdsLimitWhileWriting() async throws {
        let limit = 10_000
        let cache = folder.cache(byteLimit: limit, fileSystem: folder.watched(limit).files)
        for number in 0..<40 {
            try await cache.store(entry(500 + number * 731 % 4_000, seed: UInt64(number)), for: key(number % 13))
        }
        #expect(folder.byteCount() > limit / 2)
    }

    @Test("stores an entry that just fits into an empty cache, whatever the cache contained before")
    func storesLargest() async throws {
        let largest = entry(20_000)
        let limit = limit(files: fileSize(largest, key(1)))
        let cache = folder.cache(byteLimit: limit)
        for number in 10...69 { try await cache.store(entry(10), for: key(number)) }
        try await cache.store(largest, for: key(1))
        #expect(try await cache.entry(for: key(1)) == largest)
        #expect(folder.totalByteCount() <= limit)
        await #expect(throws: DataCacheError.self) { try await cache.store(entry(20_001), for: key(1)) }
    }

    @Test("a removed folder is created again by the next store")
    func folderRemoved() async throws {
        let cache = folder.cache()
        try await cache.store(entry(100), for: key(1))
        try FileManager.default.removeItem(at: folder.url)
        #expect(try await cache.entry(for: key(1)) == nil)
        try await cache.store(entry(100), for: key(2))
        #expect(try await cache.entry(for: key(2)) == entry(100))
        #expect(try await cache.status().entryCount == 1)
        try FileManager.default.removeItem(at: folder.file(key(2)).deletingLastPathComponent())
        try await cache.store(entry(200), for: key(2))
        #expect(try await cache.entry(for: key(2)) == entry(200))
    }

    @Test("files of other programs in the folder are neither counted nor returned nor removed")
    func foreignFiles() async throws {
        let cache = folder.cache()
        try await cache.store(entry(100), for: key(1))
        let shard = folder.file(key(1)).deletingLastPathComponent()
        let longer = "0\(shard.lastPathComponent)"
        let foreign = [
            folder.url.appending(path: "\(longer)/\(folder.file(key(1)).lastPathComponent)"),
            folder.url.appending(path: "notes.txt"), shard.appending(path: "README"),
            shard.appending(path: folder.file(key(1)).lastPathComponent + ".bak"),
            folder.url.appending(path: "tmp/mine.txt"), folder.url.appending(path: "tmp/mine.part"),
            folder.url.appending(path: "zz/\(folder.file(key(1)).lastPathComponent)"),
            folder.url.appending(path: "00/\(folder.file(key(1)).lastPathComponent)"),
        ]
        for name in ["tmp", "zz", "00", longer] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        for file in foreign { try Data("mine".utf8).write(to: file) }
        #expect(try await cache.status().entryCount == 1)
        #expect(try await cache.verify().checkedEntryCount == 1)
        try await cache.removeAll()
        #expect(folder.files().count == foreign.count)
    }

    @Test("a link, a folder or a pipe with the name of an entry is a miss and stays")
    func foreignKinds() async throws {
        let cache = folder.cache()
        for number in 1...3 { try await cache.store(entry(100), for: key(number)) }
        let target = folder.url.appending(path: "target")
        try FileManager.default.moveItem(at: folder.file(key(1)), to: target)
        try FileManager.default.createSymbolicLink(at: folder.file(key(1)), withDestinationURL: target)
        try FileManager.default.removeItem(at: folder.file(key(2)))
        try FileManager.default.createDirectory(at: folder.file(key(2)), withIntermediateDirectories: true)
        try FileManager.default.removeItem(at: folder.file(key(3)))
        let result = unsafe mkfifo(folder.file(key(3)).path, 0o600)
        try #require(result == 0)
        for number in 1...3 {
            #expect(try await cache.entry(for: key(number)) == nil)
            try await cache.flush()
            #expect(FileManager.default.fileExists(atPath: folder.file(key(number)).path))
        }
    }

    @Test("a file that was renamed to another entry's name is a miss", arguments: [100, 1_200_000])
    func misnamed(byteCount: Int) async throws {
        let cache = folder.cache(byteLimit: 4 << 20)
        try await cache.store(entry(byteCount), for: key(1))
        try await cache.store(entry(byteCount, seed: 2), for: key(2))
        try FileManager.default.removeItem(at: folder.file(key(2)))
        try FileManager.default.copyItem(at: folder.file(key(1)), to: folder.file(key(2)))
        #expect(try await cache.reader(for: key(2)) == nil)
        #expect(try await cache.entry(for: key(2)) == nil)
        try await cache.flush()
        #expect(!FileManager.default.fileExists(atPath: folder.file(key(2)).path))
        #expect(try await cache.entry(for: key(1)) == entry(byteCount))
    }

    @Test(
        "an entry on a part of the disk that can't be read is a miss, and is found if it can be read again",
        arguments: [100, 1_200_000])
    func unreadableBlock(byteCount: Int) async throws {
        let faults = FaultInjectingFileSystem()
        let cache = folder.cache(byteLimit: 4 << 20, fileSystem: faults.files)
        try await cache.store(entry(byteCount), for: key(1))
        faults.fail(of: [.read, .readCached], with: EIO)
        #expect(try await cache.entry(for: key(1)) == nil)
        faults.fail(of: [], with: 0)
        #expect(try await cache.entry(for: key(1)) == entry(byteCount))
    }
}
