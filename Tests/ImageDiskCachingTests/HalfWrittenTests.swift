import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Incomplete entries")
struct HalfWrittenTests {
    private let folder = TestFolder()

    /// The step of a store, of a new or a replaced entry, before which the process is killed.
    enum LastStep: String, CaseIterable {
        case newFilled, replacementFilled, replacementRenamed

        var call: FileSystemOperation { self == .replacementRenamed ? .rename : .setModified }

        /// Stores an entry until the process is killed.
        func storeUntilKilled(in path: String) async throws {
            if self != .newFilled {
                let older = EntryFolder(root: path, byteLimit: 1 << 20, now: { testTime })
                _ = try older.store(entry(300), for: key(1), name: EntryName(key(1)))
            }
            let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call throws(FileSystemFailure) in
                if call.operation == self.call { kill(getpid(), SIGKILL) }
            }
            let folder = EntryFolder(root: path, byteLimit: 1 << 20, fileSystem: fileSystem, now: { testTime })
            _ = try folder.store(entry(500), for: key(1), name: EntryName(key(1)))
        }
    }

    @Test("the reservation of a killed writer is released, and its file is removed", arguments: LastStep.allCases)
    func releasesReservations(step: LastStep) async throws {
        let files = 3 * fileSize(entry(500), key(1))
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, step = step.rawValue as String] in
            try await LastStep(rawValue: step)?.storeUntilKilled(in: path)
        }
        #expect(folder.files().count == (step == .newFilled ? 1 : 2))
        let cache = folder.cache(byteLimit: limit(3, files: files))
        for number in 2...4 { try await cache.store(entry(500), for: key(number)) }
        #expect(try await cache.status().entryCount == 3)
        #expect(folder.byteCount() == files)
    }

    @Test("an incomplete new file of a killed process is removed when the folder is opened again")
    func removesParts() async throws {
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let isCreated = Mutex(false)
            let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call throws(FileSystemFailure) in
                if call.operation == .create { isCreated.withLock { $0 = true } }
                if call.operation == .writeRest, isCreated.withLock({ $0 }) { kill(getpid(), SIGKILL) }
            }
            let folder = EntryFolder(root: path, byteLimit: 1 << 20, fileSystem: fileSystem, now: { testTime })
            _ = try folder.store(entry(500), for: key(1), name: EntryName(key(1)))
        }
        #expect(0..<fileSize(entry(500), key(1)) ~= folder.byteCount())
        let cache = folder.cache()
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(try await cache.status().entryCount == 0)
        #expect(folder.files() == [])
    }

    @Test(
        "an entry exists and counts if its process is killed after the file is named and before the index is updated",
        arguments: [false, true])
    func countsNamed(isReplacing: Bool) async throws {
        let path = folder.path
        if isReplacing { try await folder.cache().store(entry(300), for: key(1)) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, isReplacing = isReplacing as Bool] in
            let last = isReplacing ? FileSystemOperation.rename : .setModified
            let isNamed = Mutex(false)
            let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call throws(FileSystemFailure) in
                if call.operation == last { isNamed.withLock { $0 = true } }
                if call.operation == .write, isNamed.withLock({ $0 }) { kill(getpid(), SIGKILL) }
            }
            let folder = EntryFolder(root: path, byteLimit: 1 << 20, fileSystem: fileSystem, now: { testTime })
            _ = try folder.store(entry(500), for: key(1), name: EntryName(key(1)))
        }
        let files = 2 * fileSize(entry(500), key(1))
        let cache = folder.cache(byteLimit: limit(2, files: files))
        #expect(try await cache.entry(for: key(1)) == entry(500))
        for number in 2...3 { try await cache.store(entry(500), for: key(number)) }
        #expect(folder.byteCount() == files)
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("reading an entry while it is written is a miss and has no effect on it")
    func readsDuringWriting() async throws {
        let (name, folder) = (EntryName(key(1)), folder)
        let other = EntryFolder(root: folder.path, byteLimit: 1 << 20, now: { testTime })
        try other.open()
        let seen = Mutex<[Bool]>([])
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call throws(FileSystemFailure) in
            guard [.write, .writeRest].contains(call.operation), folder.files().count == 1 else { return }
            guard case .inconsistent = try other.read(key(1), name: name) else {
                return seen.withLock { $0.append(false) }
            }
            seen.withLock { $0.append(true) }
        }
        try await folder.cache(fileSystem: fileSystem).store(entry(500), for: key(1))
        // Reads before the first half and before the second half. Then the entry is complete.
        #expect(seen.withLock { $0.prefix(2) } == [true, true])
        try other.reconcile(name)
        #expect(other.statistics.damaged == 0)
        #expect(try await folder.cache().entry(for: key(1)) == entry(500))
    }

    @Test("a file that has an entry's name and is not in the index is replaced")
    func replacesUnknown() async throws {
        let cache = folder.cache()
        try await cache.store(entry(100), for: key(2))
        let file = folder.file(key(1))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("half".utf8).write(to: file)
        try await cache.store(entry(500), for: key(1))
        #expect(try await cache.entry(for: key(1)) == entry(500))
        #expect(folder.files().count == 2)
    }

    @Test("leftovers beside entries are removed when the index is rebuilt, and other files stay")
    func removesPartsBeside() async throws {
        try await folder.cache().store(entry(100), for: key(1))
        let shard = folder.file(key(1)).deletingLastPathComponent()
        for name in ["00000000abcd.part", "mine.part"] { try Data("x".utf8).write(to: shard.appending(path: name)) }
        try FileManager.default.removeItem(at: folder.url.appending(path: "entries.index"))
        #expect(try await folder.cache().status().entryCount == 1)
        #expect(folder.files().map { $0.suffix(9) }.contains("mine.part"))
        #expect(folder.files().count == 2)
    }

    @Test("a leftover of an ended process with the same ID does not prevent a store")
    func overwritesPartsBeside() async throws {
        let cache = folder.cache()
        try await cache.store(entry(100), for: key(1))
        let shard = folder.file(key(1)).deletingLastPathComponent()
        for count in 1...3 {
            let writer = String(UInt64(UInt32(bitPattern: getpid())) << 16 | UInt64(count), radix: 16)
            let name = String(repeating: "0", count: 12 - writer.count) + writer + ".part"
            try Data("left".utf8).write(to: shard.appending(path: name))
        }
        try await cache.store(entry(500), for: key(1))
        #expect(try await cache.entry(for: key(1)) == entry(500))
        #expect(folder.files().count == 3)
    }

    @Test(
        "a store that fails during a write leaves no file of a new or a replaced entry",
        arguments: [false, true])
    func leavesNothing(isReplacing: Bool) async throws {
        if isReplacing { try await folder.cache().store(entry(300), for: key(1)) }
        let isCreated = Flag()
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call throws(FileSystemFailure) in
            if call.operation == .create { isCreated.value = true }
            if call.operation == .write, isCreated.value { throw FileSystemFailure(call: "write", code: ENOSPC) }
        }
        let cache = folder.cache(fileSystem: fileSystem)
        await #expect(throws: DataCacheFailure.noSpace) { try await cache.store(entry(500), for: key(1)) }
        #expect(folder.files() == [])
    }

    @Test("folders are scattered before the first of them is created")
    func scattersFolders() async throws {
        let fileSystem = ScatterLog(root: folder.path)
        try await folder.cache(fileSystem: fileSystem).store(entry(100), for: key(1))
        #expect(fileSystem.hadFolders == [false])
    }
}

/// Records for each call of `scatterFolders` whether there were subfolders already.
private final class ScatterLog: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()
    private let root: String
    private let state = Mutex<[Bool]>([])

    init(root: String) { self.root = root }

    var hadFolders: [Bool] { state.withLock { $0 } }

    func scatterFolders(in path: String) {
        let hasFolder = path != root || FileManager.default.fileExists(atPath: "\(root)/\(EntryName(key(1)).shard)")
        state.withLock { $0.append(hasFolder) }
    }
}
