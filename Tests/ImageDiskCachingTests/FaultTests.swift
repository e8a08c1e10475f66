import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// Each call of a workload fails in turn, alone and with all later ones, and each kind of call fails permanently.
@Suite("Failing system calls")
struct FaultTests {
    /// Whether each error code is tested at each call on the real disk, as `Scripts/crash-campaign` does.
    ///
    /// Otherwise every third call fails with one code on a simulated disk, and each kind of call fails with one code on
    /// the real disk.
    private static let isInFull = ProcessInfo.processInfo.environment["CRASH_CAMPAIGN_KILLS"] != nil
    private static let calls = stride(from: 1, to: 10_000, by: isInFull ? 1 : 3)
    private static func disk(isReal: Bool = isInFull) -> WorkloadDisk {
        isReal ? .real(TestFolder()) : .simulated(SimulatedDisk())
    }
    private static let codes = [ENOSPC, EIO, EMFILE, EROFS, EACCES]

    @Test(
        "if a single call fails, acknowledged entries are intact, the limit holds, and the cache works again",
        arguments: WorkloadLimits.allCases, isInFull ? codes : [EIO])
    func oneCall(limits: WorkloadLimits, code: Int32) async throws {
        for number in Self.calls {
            let refuses = limits == .scarce
            let log = try await FaultCheck(
                limits, code, failingCalls: .call(number), on: Self.disk(), refusesNonblocking: refuses
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
            let log = try await FaultCheck(limits, code, failingCalls: .callsFrom(number), on: Self.disk()).run()
            if log.count < number { return }
        }
        Issue.record("the workload makes too many calls")
    }

    @Test(
        "if a kind of call fails, the same holds after the fault",
        arguments: WorkloadLimits.allCases, codes)
    func oneKind(limits: WorkloadLimits, code: Int32) async throws {
        let isReal = Self.isInFull || code == EIO
        let log = try await FaultCheck(limits, code, failingCalls: nil, on: Self.disk(isReal: isReal)).run()
        let kinds = Set(log)
        #expect(kinds.isSuperset(of: [.create, .write, .writeRest, .rename, .remove, .synchronize, .read, .list]))
        for kind in kinds {
            _ = try await FaultCheck(limits, code, failingCalls: .kind(kind), on: Self.disk(isReal: isReal)).run()
        }
    }

    @Test("in a read-only folder, lookups find entries and stores throw")
    func readOnly() async throws {
        let folder = TestFolder()
        try await folder.cache().store(entry(1_000), for: key(1))
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
        fileSystem.fail(.always, of: [.create, .write, .setModified, .rename, .remove, .makeFolder], with: EROFS)
        let cache = folder.cache(fileSystem: fileSystem)
        #expect(try await cache.entry(for: key(1)) == entry(1_000))
        await #expect(throws: DataCacheFailure.inaccessible("write: Read-only file system")) {
            try await cache.store(entry(10), for: key(2))
        }
        try FileHandle(forWritingTo: folder.file(key(1))).truncate(atOffset: 500)
        #expect(try await cache.entry(for: key(1)) == nil)
        let report = try await cache.verify()
        #expect(!report.isIntact)
        #expect(report.unrepaired.count == 1)
    }

    @Test("a store throws if a file has the path of the folder")
    func notAFolder() async throws {
        let folder = TestFolder()
        try Data("file".utf8).write(to: folder.url)
        await #expect(throws: DataCacheFailure.self) { try await folder.cache().store(entry(10), for: key(1)) }
    }
}
