import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// Processes that use one folder, one after the other, and are killed at random; what is left is looked at after each.
///
/// Scripts/crash-campaign sets the number of kills; a short form runs with all other tests.
@Suite("Disk cache and the death of processes: a campaign")
struct CrashCampaignTests {
    /// How many processes die in one folder.
    private static let chainLength = 20
    private static let killCount = ProcessInfo.processInfo.environment["CRASH_CAMPAIGN_KILLS"].flatMap(Int.init) ?? 60
    private static let chains = Array(0..<max(1, killCount / chainLength))

    @Test(
        "killed at any moment, processes leave whole entries of their own, all that they acknowledged, and nothing else",
        arguments: chains)
    func killed(chain: Int) async throws {
        let limits = WorkloadLimits.allCases[chain % 2]
        let durability = Self.durability(chain)
        let folder = TestFolder()
        let log = try OperationLog(path: folder.path + ".log")
        defer { try? FileManager.default.removeItem(atPath: folder.path + ".log") }
        for link in 0..<Self.chainLength {
            let death = Death(seed: UInt64(chain * Self.chainLength + link))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = folder.path as String, limits = limits as WorkloadLimits, chain = chain as Int,
                    death = death as Death
                ]
                in
                try await Self.live(path, limits, Self.durability(chain), until: death)
            }
            let size = FolderSample(folder.path)
            try #require(size.isWithin(limits), "\(size): \(death)")
            // Every other time the next process finds the folder as the dead left it.
            if link % 2 == 1 { try await Self.expectSound(folder, limits, durability, log, "\(death)") }
        }
    }

    private static func durability(_ chain: Int) -> DiskDurability {
        DiskDurability.allCases[chain / 2 % DiskDurability.allCases.count]
    }

    /// Uses the cache in a folder at random until death comes, and checks what it reads.
    private static func live(
        _ path: String, _ limits: WorkloadLimits, _ durability: DiskDurability, until death: Death
    ) async throws {
        var random = SeededRandom(seed: death.seed)
        let log = try OperationLog(path: path + ".log")
        var model = WorkloadModel(limits)
        var version = try log.replay(into: &model)
        let cache = workloadCache(path, limits, durability, death.fileSystem())
        while true {
            version += 1
            let step = WorkloadStep(version: version, limits, &random)
            try log.begin(step)
            model.begin(step)
            let found = try await step.run(on: cache)
            if let number = step.lookedUp {
                let isAdmitted = model.admits(found, of: number)
                try #require(isAdmitted, "\(model.text(number)), not \(text(found))")
            }
            model.end(step)
            try log.end(step)
        }
    }

    /// A new launch finds what it may find, and nothing of the dead but that.
    private static func expectSound(
        _ folder: TestFolder, _ limits: WorkloadLimits, _ durability: DiskDurability, _ log: OperationLog,
        _ death: String
    ) async throws {
        let cache = workloadCache(folder.path, limits, durability)
        // First of all: a read would remove what is damaged.
        let report = try await cache.verify()
        #expect(report.isSound && report.damagedRemoved == 0, "\(death)")
        #expect(!folder.hasUnfinishedFiles, "\(death)")
        var model = WorkloadModel(limits)
        try log.replay(into: &model)
        for number in 0..<WorkloadLimits.keyCount {
            let found = try await cache.entry(for: key(number))
            let isAdmitted = model.admits(found, of: number)
            #expect(isAdmitted, "\(model.text(number)), not \(text(found)): \(death)")
        }
        let size = FolderSample(folder.path)
        #expect(size.isWithin(limits), "\(size): \(death)")
    }

    private static func text(_ entry: DataCacheEntry?) -> String {
        entry.map { String(decoding: $0.metadata, as: UTF8.self) } ?? "absent"
    }
}

/// When a process dies: before one of its system calls, or a while after it, from a thread of its own.
struct Death: Codable, Sendable, CustomStringConvertible {
    let seed: UInt64

    private var isOnCall: Bool { seed % 2 == 0 }
    private var call: Int {
        var random = SeededRandom(seed: seed ^ 0xDEAD)
        return Int.random(in: 1...400, using: &random)
    }

    var description: String { "seed \(seed), killed \(isOnCall ? "before" : "some time after") call \(call)" }

    /// The operating system, with death in it.
    func fileSystem() -> FaultInjectingFileSystem {
        let (call, isOnCall) = (call, isOnCall)
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { next throws(FileSystemFailure) in
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
