import Foundation
import ImageCore
import Testing

@testable import ImageDiskCaching
@testable import ImageTesting

/// A process is stopped while it has locked the folder, as by Ctrl-Z, a debugger or a frozen container.
@Suite("A stopped process beside the disk cache")
struct StoppedProcessTests {
    private let folder = TestFolder()

    /// Runs `body` while another process is stopped in the lock of the folder. Kills that process afterwards.
    private func besideStoppedProcess(_ body: () async throws -> Void) async throws {
        let marker = folder.path + ".stopped"
        defer { try? FileManager.default.removeItem(atPath: marker) }
        async let stopped = #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.path as String, marker = marker as String] in
            let fileSystem = FileSystem(firstWrite: { $0 }) { call, _ in
                // A part is created in the lock.
                guard call == .create else { return }
                try Data("\(getpid())".utf8).write(to: URL(filePath: marker), options: .atomic)
                raise(SIGSTOP)
            }
            let cache = DiskDataCache(
                directory: URL(filePath: path), byteLimit: 1 << 20, options: DiskCacheOptions(),
                fileSystem: fileSystem, now: { testTime })
            try await cache.store(entry(100), for: key(9))
        }
        await becomesTrue { FileManager.default.fileExists(atPath: marker) }
        let text = try String(contentsOf: URL(filePath: marker), encoding: .utf8)
        let process = try #require(pid_t(text))
        let result = await Result(catching: body)
        kill(process, SIGKILL)
        _ = await stopped
        try result.get()
    }

    @Test("a process that is stopped in the lock makes stores fail, doesn't disturb lookups, and can be killed")
    func stoppedInLock() async throws {
        let fileSystem = FaultInjectingFileSystem()
        let cache = folder.cache(fileSystem: fileSystem.files)
        try await cache.store(entry(100), for: key(1))
        try await besideStoppedProcess { () async throws in
            let failure = DataCacheError.inaccessible("lock: another process keeps the folder locked")
            await #expect(throws: failure) { try await cache.store(entry(100), for: key(2)) }
            let calls = fileSystem.operations.count
            await #expect(throws: failure) { try await cache.store(entry(100), for: key(3)) }
            await #expect(throws: failure) { try await cache.writer(for: key(3), expectedByteCount: 300_000) }
            await #expect(throws: failure) { try await cache.removeAll() }
            let locks = fileSystem.operations.dropFirst(calls).filter { $0 == .lock }
            #expect(locks.count <= 6, "only the first change waits")
            #expect(try await cache.entry(for: key(1)) == entry(100))
            #expect(try await cache.status().entryCount == 1)
        }
        try await cache.store(entry(100), for: key(2))
        #expect(try await cache.entry(for: key(2)) == entry(100))
    }

    @Test(
        "a lookup of a damaged or expired entry waits for no lock, and the entry is removed later",
        arguments: [true, false])
    func lookupBesideLock(isDamaged: Bool) async throws {
        let inLock = TestGate()
        let fileSystem = FaultInjectingFileSystem { call in
            if call.operation == .lock { inLock.passBlocking() }
        }
        try await folder.cache().store(entry(100), for: key(1))
        if isDamaged {
            try Data(count: 300).write(to: folder.file(key(1)))
        } else {
            folder.time.value += 100
        }
        let cache = folder.cache(fileSystem: fileSystem.files) { if !isDamaged { $0.maxUnusedTime = .seconds(50) } }
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(try await cache.reader(for: key(1)) == nil)
        #expect(folder.files().count == 1)
        inLock.open()
        try await cache.flush()
        #expect(folder.files().isEmpty)
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
