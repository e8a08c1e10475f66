import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageDiskCaching

/// Each call of a workload fails in turn, alone and with all later ones, and each kind of call fails permanently.
@Suite("Failing system calls")
struct FaultTests {
    /// Whether each error code is tested at each call, as `Scripts/crash-campaign` does. Otherwise, every fifth call fails
    /// with one code.
    private static let isInFull = ProcessInfo.processInfo.environment["CRASH_CAMPAIGN_KILLS"] != nil
    private static let calls = stride(from: 1, to: 10_000, by: isInFull ? 1 : 5)
    private static let codes = [ENOSPC, EIO, EMFILE, EROFS, EACCES]

    @Test(
        "if a single call fails, acknowledged entries are intact, the limit holds, and the cache works again",
        arguments: WorkloadLimits.allCases, isInFull ? codes : [EIO])
    func oneCall(limits: WorkloadLimits, code: Int32) async throws {
        for number in Self.calls {
            let log = try await FaultCheck(
                limits, code, failingCalls: .call(number), refusesCached: limits == .scarce
            ).run()
            if log.count < number { return }
        }
        Issue.record("the workload makes too many calls")
    }

    @Test(
        "if all calls from one on fail, the same holds after the fault",
        arguments: WorkloadLimits.allCases, isInFull ? codes : [ENOSPC])
    func allCallsFrom(limits: WorkloadLimits, code: Int32) async throws {
        for number in Self.calls {
            let log = try await FaultCheck(limits, code, failingCalls: .callsFrom(number)).run()
            if log.count < number { return }
        }
        Issue.record("the workload makes too many calls")
    }

    @Test(
        "if a kind of call fails, the same holds after the fault",
        arguments: WorkloadLimits.allCases, codes)
    func oneKind(limits: WorkloadLimits, code: Int32) async throws {
        let log = try await FaultCheck(limits, code, failingCalls: nil).run()
        let kinds = Set(log)
        #expect(kinds.isSuperset(of: [.create, .write, .writeRest, .rename, .remove, .lock, .list]))
        for kind in kinds { _ = try await FaultCheck(limits, code, failingCalls: .kind(kind)).run() }
    }

    @Test("in a read-only folder, lookups find entries and stores throw")
    func readOnly() async throws {
        let folder = TestFolder()
        try await folder.cache().store(entry(1_000), for: key(1))
        let fileSystem = FaultInjectingFileSystem()
        fileSystem.fail(of: [.openToUpdate, .create, .write, .setModified, .rename, .remove, .makeFolder], with: EROFS)
        let cache = folder.cache(fileSystem: fileSystem.files)
        #expect(try await cache.entry(for: key(1)) == entry(1_000))
        await #expect(throws: DataCacheError.inaccessible("openToUpdate: Read-only file system")) {
            try await cache.store(entry(10), for: key(2))
        }
        try FileHandle(forWritingTo: folder.file(key(1))).truncate(atOffset: 500)
        #expect(try await cache.entry(for: key(1)) == nil)
        let report = try await cache.verify()
        #expect(report.unrepairedFiles.count == 1)
    }

    @Test(
        "if a call fails while an entry is streamed, entries are intact, the limit holds, and no space is lost",
        arguments: [ENOSPC, EMFILE])
    func streaming(code: Int32) async throws {
        for number in Self.calls {
            let folder = TestFolder()
            let cache = folder.cache(byteLimit: 720_000)
            try await cache.store(entry(400_000), for: key(1))
            try await cache.store(entry(100_000), for: key(2))
            let fileSystem = FaultInjectingFileSystem()
            fileSystem.fail(number...number, with: code)
            let hasFailed = await Self.stream(to: folder.cache(byteLimit: 720_000, fileSystem: fileSystem.files))
            guard fileSystem.log.count >= number else { return }
            let comment: Comment = "\(fileSystem.log[number - 1])"
            #expect(folder.totalByteCount() <= 720_000, comment)
            let found = try await cache.entry(for: key(1))?.data
            #expect(found == Self.streamed || hasFailed && (found == nil || found == entry(400_000).data), comment)
            #expect([nil, entry(100_000)].contains(try await cache.entry(for: key(2))), comment)
            #expect(try await cache.verify().removedEntryCount == 0, comment)
            #expect(!folder.hasUnfinishedFiles, comment)
            try await cache.removeAll()
            for number in 3...5 { try await cache.store(entry(220_000), for: key(number)) }
            #expect(try await cache.status().entryCount == 3, comment)
        }
        Issue.record("the scenario makes too many calls")
    }

    private static let streamed = noise(500_000, seed: 1)

    /// Streams an entry in two pieces. Returns true if that fails.
    private static func stream(to cache: DiskDataCache) async -> Bool {
        do {
            let writer = try await cache.writer(for: key(1), expectedByteCount: streamed.count)
            try await writer.append(streamed.prefix(300_000))
            try await writer.append(streamed.dropFirst(300_000))
            try await writer.finish(metadata: Data(), creationDate: testTime)
            return false
        } catch {
            return true
        }
    }

    @Test("a store throws if a file has the path of the folder")
    func notAFolder() async throws {
        let folder = TestFolder()
        try Data("file".utf8).write(to: folder.url)
        await #expect(throws: DataCacheError.self) { try await folder.cache().store(entry(10), for: key(1)) }
    }
}
