import Foundation
import ImageCore
import ImageDiskCaching
import Testing

@Suite("Failing system calls")
struct FaultTests {
    private static let limit = 3 * fileSize(entry(1_000), key(1))

    @Test(
        "whichever call fails, errors are typed, entries stay whole, the limit holds and the cache recovers",
        arguments: [
            ENOSPC, EIO, EACCES,
        ])
    func anyCallFails(code: Int32) async throws {
        for number in 1...10_000 {
            let folder = TestFolder()
            let fileSystem = InterceptedFileSystem { call, name throws(FileSystemFailure) in
                if call == number { throw FileSystemFailure(call: name, code: code) }
            }
            let failures = try await Self.exercise(folder, fileSystem)
            if fileSystem.log.count < number { return }
            let call = "call \(number), \(fileSystem.log[number - 1])"
            for failure in failures { #expect(failure == Self.expected(code, fileSystem.log[number - 1]), "\(call)") }
            #expect(folder.byteCount() <= Self.limit, "\(call)")
            try await Self.expectSound(folder, call)
        }
        Issue.record("the scenario makes too many calls")
    }

    /// Stores, replaces, evicts, reads and removes; returns what was thrown.
    private static func exercise(_ folder: TestFolder, _ fileSystem: InterceptedFileSystem) async throws
        -> [DataCacheFailure]
    {
        let earlier = folder.cache(byteLimit: limit)
        for number in 1...3 { try await earlier.store(entry(1_000), for: key(number)) }
        let cache = folder.cache(byteLimit: limit, fileSystem: fileSystem)
        let steps: [@Sendable () async throws -> Void] = [
            { try await cache.store(entry(900, seed: 2), for: key(2)) },
            { try await cache.store(entry(1_000), for: key(4)) },
            { _ = try await cache.entry(for: key(3)) },
            { try await cache.remove(for: key(3)) },
            { _ = try await cache.verify() },
            { try await cache.removeAll(olderThan: .seconds(1)) },
        ]
        var failures: [DataCacheFailure] = []
        for step in steps {
            do { try await step() } catch { failures.append(try #require(error as? DataCacheFailure)) }
        }
        return failures
    }

    private static func expected(_ code: Int32, _ call: String) -> DataCacheFailure {
        let text = unsafe String(cString: strerror(code))
        return switch code {
        case ENOSPC: .noSpace
        case EACCES: .inaccessible("\(call): \(text)")
        default: .io("\(call): \(text)")
        }
    }

    /// A new launch finds whole entries only and can store.
    private static func expectSound(_ folder: TestFolder, _ call: String) async throws {
        let cache = folder.cache(byteLimit: limit)
        for number in 1...4 {
            let found = try await cache.entry(for: key(number))
            #expect([nil, entry(1_000), entry(900, seed: 2)].contains(found), "\(call)")
        }
        try await cache.store(entry(1_000), for: key(5))
        #expect(try await cache.entry(for: key(5)) == entry(1_000), "\(call)")
        #expect(try await cache.verify().damagedRemoved == 0, "\(call)")
        #expect(!folder.files().contains { $0.hasPrefix("tmp/") }, "\(call)")
    }

    @Test(
        "on a full disk a store throws noSpace and leaves nothing, hits go on, and stores work again when there is room"
    )
    func fullDisk() async throws {
        let folder = TestFolder()
        let isFull = Flag()
        let fileSystem = InterceptedFileSystem { _, call throws(FileSystemFailure) in
            if isFull.value, call == "write" { throw FileSystemFailure(call: call, code: ENOSPC) }
        }
        let cache = folder.cache(fileSystem: fileSystem)
        try await cache.store(entry(1_000), for: key(1))
        try await cache.store(entry(1_000), for: key(2))
        isFull.value = true
        for number in [2, 3] {
            await #expect(throws: DataCacheFailure.noSpace) { try await cache.store(entry(500), for: key(number)) }
        }
        #expect(try await cache.entry(for: key(1)) == entry(1_000))
        #expect(try await cache.entry(for: key(2)) == nil)
        #expect(folder.files().count == 1)
        isFull.value = false
        try await cache.store(entry(500), for: key(3))
        #expect(try await cache.entry(for: key(3)) == entry(500))
    }

    @Test("a folder that can only be read serves hits, and its stores say so")
    func readOnly() async throws {
        let folder = TestFolder()
        try await folder.cache().store(entry(1_000), for: key(1))
        let changes: Set = ["create", "write", "setModified", "rename", "remove", "makeFolder"]
        let fileSystem = InterceptedFileSystem { _, call throws(FileSystemFailure) in
            if changes.contains(call) { throw FileSystemFailure(call: call, code: EROFS) }
        }
        let cache = folder.cache(fileSystem: fileSystem)
        #expect(try await cache.entry(for: key(1)) == entry(1_000))
        await #expect(throws: DataCacheFailure.inaccessible("create: Read-only file system")) {
            try await cache.store(entry(10), for: key(2))
        }
        try FileHandle(forWritingTo: folder.file(key(1))).truncate(atOffset: 500)
        #expect(try await cache.entry(for: key(1)) == nil)
        let report = try await cache.verify()
        #expect(!report.isSound)
        #expect(report.unrepaired.count == 1)
    }

    @Test("a path that runs through a file is inaccessible, not a crash")
    func notAFolder() async throws {
        let folder = TestFolder()
        try Data("file".utf8).write(to: folder.url)
        await #expect(throws: DataCacheFailure.self) { try await folder.cache().store(entry(10), for: key(1)) }
    }
}
