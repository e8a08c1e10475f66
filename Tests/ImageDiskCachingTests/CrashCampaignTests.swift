import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// Processes that use one folder, one after the other, and are killed at random. The folder is checked after each.
///
/// `Scripts/crash-campaign` sets the number of kills. A short form runs with all other tests.
@Suite("Crash campaign of the disk cache")
struct CrashCampaignTests {
    /// The number of processes that are killed in one folder.
    private static let chainLength = 20
    private static let killCount = ProcessInfo.processInfo.environment["CRASH_CAMPAIGN_KILLS"].flatMap(Int.init) ?? 60
    private static let chains = Array(0..<max(1, killCount / chainLength))

    @Test(
        "processes killed at any moment leave only intact entries, including all acknowledged ones",
        arguments: chains)
    func killed(chain: Int) async throws {
        let limits = WorkloadLimits.allCases[chain % 2]
        let folder = TestFolder()
        let log = try OperationLog(path: folder.path + ".log")
        defer { try? FileManager.default.removeItem(atPath: folder.path + ".log") }
        for link in 0..<Self.chainLength {
            let killTime = KillTime(seed: UInt64(chain * Self.chainLength + link))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = folder.path as String, limits = limits as WorkloadLimits, killTime = killTime as KillTime
                ]
                in
                try await Self.useUntilKilled(path, limits, until: killTime)
            }
            let size = FolderSample(folder.path)
            try #require(size.isWithin(limits), "\(size): \(killTime)")
            // Every other time, the folder is not checked, so that the next process opens it in the state after the
            // kill.
            if link % 2 == 1 { try await Self.expectIntact(folder, limits, log, "\(killTime)") }
        }
    }

    /// Uses the cache in a folder at random until the process is killed, and checks what it reads.
    private static func useUntilKilled(
        _ path: String, _ limits: WorkloadLimits, until killTime: KillTime
    ) async throws {
        var random = SeededRandom(seed: killTime.seed)
        let log = try OperationLog(path: path + ".log")
        var model = WorkloadModel(limits)
        var version = try log.replay(into: &model)
        let cache = workloadCache(path, limits, killTime.fileSystem().files)
        while true {
            version += 1
            let step = WorkloadStep(version: version, limits, &random)
            try log.begin(step)
            model.begin(step)
            let found = try await step.run(on: cache)
            if let number = step.lookedUp {
                let isPossible = model.admits(found, of: number)
                try #require(isPossible, "\(model.text(number)), not \(text(found))")
            }
            model.end(step)
            try log.end(step)
        }
    }

    /// Checks that a new launch finds only valid entries and no leftovers.
    private static func expectIntact(
        _ folder: TestFolder, _ limits: WorkloadLimits, _ log: OperationLog, _ killTime: String
    ) async throws {
        let cache = workloadCache(folder.path, limits)
        // Verify first, because a read would remove damaged entries.
        let report = try await cache.verify()
        #expect(report.unrepairedFiles.isEmpty && report.removedEntryCount == 0, "\(killTime)")
        #expect(!folder.hasUnfinishedFiles, "\(killTime)")
        var model = WorkloadModel(limits)
        try log.replay(into: &model)
        for number in 0..<WorkloadLimits.keyCount {
            let found = try await cache.entry(for: key(number))
            let isPossible = model.admits(found, of: number)
            #expect(isPossible, "\(model.text(number)), not \(text(found)): \(killTime)")
        }
        let size = FolderSample(folder.path)
        #expect(size.isWithin(limits), "\(size): \(killTime)")
    }

    private static func text(_ entry: DataCacheEntry?) -> String {
        entry.map { String(decoding: $0.metadata, as: UTF8.self) } ?? "absent"
    }
}

/// The moment at which a process is killed: before a system call, or some time after it by another thread.
struct KillTime: Codable, Sendable, CustomStringConvertible {
    let seed: UInt64

    private var isOnCall: Bool { seed % 2 == 0 }
    private var call: Int {
        var random = SeededRandom(seed: seed ^ 0xDEAD)
        return Int.random(in: 1...400, using: &random)
    }

    var description: String { "seed \(seed), killed \(isOnCall ? "before" : "some time after") call \(call)" }

    /// Returns a file system that kills the process at this moment.
    func fileSystem() -> FaultInjectingFileSystem {
        let (call, isOnCall) = (call, isOnCall)
        let fileSystem = FaultInjectingFileSystem { next in
            if isOnCall, next.number == call { kill(getpid(), SIGKILL) }
        }
        if !isOnCall {
            Thread.detachNewThread {
                while fileSystem.log.count < call {}
                kill(getpid(), SIGKILL)
            }
        }
        return fileSystem
    }
}
