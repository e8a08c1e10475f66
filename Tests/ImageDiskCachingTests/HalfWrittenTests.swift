import Foundation
import ImageCore
import ImageTesting
import Synchronization
import Testing

@testable import ImageDiskCaching

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Incomplete entries")
struct HalfWrittenTests {
    private let folder = TestFolder()

    /// The call of a store before which the process is killed.
    enum LastCall: String, CaseIterable {
        /// The folder is locked, and the part does not exist.
        case create
        /// The entry is counted, and the part is empty.
        case write
        /// The part has half of its contents.
        case writeRest
        /// The part is complete.
        case rename
        /// The entry is stored, and the counter contains the replaced one.
        case afterRename

        /// Stores an entry until the process is killed.
        func storeUntilKilled(in path: String) async throws {
            try await workloadCache(path, .ample).store(entry(300), for: key(1))
            let isCounted = Mutex(false)
            let isRenamed = Mutex(false)
            let fileSystem = FaultInjectingFileSystem { [self] call in
                let isLast =
                    switch self {
                    case .create, .rename: call.operation.rawValue == rawValue
                    case .write, .writeRest: isCounted.withLock { $0 } && call.operation.rawValue == rawValue
                    case .afterRename: isRenamed.withLock { $0 } && call.operation == .write
                    }
                if isLast { kill(getpid(), SIGKILL) }
                if call.operation == .writeRest { isCounted.withLock { $0 = true } }
                if call.operation == .rename { isRenamed.withLock { $0 = true } }
            }
            try await workloadCache(path, .ample, fileSystem.files).store(entry(500), for: key(1))
        }
    }

    @Test(
        "a killed store leaves the older or the newer entry, and all space is available again",
        arguments: LastCall.allCases)
    func killed(last: LastCall) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.path as String, last = last.rawValue as String] in
            try await LastCall(rawValue: last)?.storeUntilKilled(in: path)
        }
        #expect(folder.hasUnfinishedFiles == [.write, .writeRest, .rename].contains(last))
        let files = 3 * fileSize(entry(500), key(1))
        let cache = folder.cache(byteLimit: limit(files: files))
        #expect(try await cache.entry(for: key(1)) == (last == .afterRename ? entry(500) : entry(300)))
        for number in 2...4 { try await cache.store(entry(500), for: key(number)) }
        #expect(folder.byteCount() == files)
        #expect(try await cache.status().entryCount == 3)
        #expect(!folder.hasUnfinishedFiles)
    }

    @Test("a lookup finds the older entry at each call of a store that replaces it, and then the newer one")
    func readsDuringReplacement() async throws {
        let folder = folder
        try await folder.cache().store(entry(300), for: key(1))
        let other = try Data(contentsOf: folder.file(key(1)))
        let isRenamed = Mutex(false)
        let fileSystem = FaultInjectingFileSystem { call in
            let file = try Data(contentsOf: folder.file(key(1)))
            #expect((file == other) != isRenamed.withLock { $0 }, "\(call)")
            if call.operation == .rename { isRenamed.withLock { $0 = true } }
        }
        try await folder.cache(fileSystem: fileSystem.files).store(entry(500), for: key(1))
        #expect(isRenamed.withLock { $0 })
    }

    @Test("the part of a running writer stays, and that of an ended writer is removed")
    func leftovers() async throws {
        let cache = folder.cache()
        let writer = try await cache.writer(for: key(1), expectedByteCount: 300_000)
        try await writer.append(noise(300_000, seed: 1))
        let stale = folder.url.appending(path: "tmp/7.part")
        let foreign = folder.url.appending(path: "tmp/mine.part")
        for file in [stale, foreign] { try Data(count: 100).write(to: file) }
        let later = folder.cache()
        try await later.store(entry(10), for: key(2))
        #expect(!FileManager.default.fileExists(atPath: stale.path))
        #expect(FileManager.default.fileExists(atPath: foreign.path))
        try await writer.finish(metadata: Data(), creationDate: testTime)
        #expect(try await later.entry(for: key(1))?.data == noise(300_000, seed: 1))
    }

    @Test("without locks, a part is removed an hour after the last write or from the future, and its store fails")
    func agedLeftovers() async throws {
        let cache = folder.cache(leftoverAge: .seconds(3_600))
        let writer = try await cache.writer(for: key(1), expectedByteCount: 600_000)
        try await writer.append(noise(300_000, seed: 1))
        folder.time.value += 3_500
        try await writer.append(noise(300_000, seed: 2))
        folder.time.value += 3_500
        try await folder.cache(leftoverAge: .seconds(3_600)).store(entry(10), for: key(2))
        #expect(folder.hasUnfinishedFiles)
        folder.time.value += 200
        try await folder.cache(leftoverAge: .seconds(3_600)).store(entry(10), for: key(3))
        #expect(!folder.hasUnfinishedFiles)
        #expect(try folder.countedBytes() == folder.totalByteCount())
        await #expect(throws: DataCacheError.self) { try await writer.finish(metadata: Data(), creationDate: testTime) }
        #expect(folder.files().count == 2)
        folder.time.value += 7_200
        let ahead = try await cache.writer(for: key(1), expectedByteCount: 600_000)
        try await ahead.append(noise(300_000, seed: 1))
        folder.time.value -= 7_200
        try await folder.cache(leftoverAge: .seconds(3_600)).store(entry(10), for: key(4))
        #expect(!folder.hasUnfinishedFiles)
    }

    @Test("a store that fails during a write leaves no file of a new or a replaced entry", arguments: [false, true])
    func leavesNothing(isReplacing: Bool) async throws {
        if isReplacing { try await folder.cache().store(entry(300), for: key(1)) }
        let isCounted = Mutex(false)
        let fileSystem = FaultInjectingFileSystem { call in
            if call.operation == .writeRest { isCounted.withLock { $0 = true } }
            guard call.operation == .write, isCounted.withLock({ $0 }) else { return }
            throw FileSystemFailure(call: "write", code: ENOSPC)
        }
        let cache = folder.cache(fileSystem: fileSystem.files)
        await #expect(throws: DataCacheError.noSpace) { try await cache.store(entry(500), for: key(1)) }
        #expect(folder.files() == [])
    }
}
