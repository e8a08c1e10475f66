import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// Cuts the power before each call of a workload of all operations. Some or all unsynchronized changes are lost.
@Suite("Power cuts")
struct PowerCutTests {
    /// Whether each call is tested, as `Scripts/crash-campaign` does. Otherwise every 37th call is tested.
    private static let isInFull = ProcessInfo.processInfo.environment["CRASH_CAMPAIGN_KILLS"] != nil

    @Test(
        "after a cut at any call, entries are intact, the limit and the durability hold, and the cache works",
        arguments: WorkloadLimits.allCases, DiskDurability.allCases)
    func anyCall(limits: WorkloadLimits, durability: DiskDurability) async throws {
        for call in stride(from: 1, to: 10_000, by: Self.isInFull ? 1 : 37) {
            let losses = (0..<(Self.isInFull ? 10 : 2)).map {
                SimulatedDisk.Loss.anything(seed: UInt64(call * 10 + $0))
            }
            for loss in losses + [.everything, .contents] {
                let cut = PowerCut(limits, durability, afterCall: call, loss)
                if try await cut.run() == .beforeCut { return }
            }
        }
        Issue.record("the workload makes too many calls")
    }

    @Test("with the durability processCrash, a power cut loses stores")
    func losesWithoutDurability() async throws {
        let disk = SimulatedDisk()
        try await PowerCut.cache(disk, .ample, .processCrash).store(genuine(1, 1), for: key(1))
        let later = PowerCut.cache(disk.restarted(after: .everything), .ample, .processCrash)
        #expect(try await later.entry(for: key(1)) == nil)
        let halved = PowerCut.cache(disk.restarted(after: .contents), .ample, .processCrash)
        #expect(try await halved.verify().damagedRemoved == 1)
    }
}

/// Simulates one power cut, and checks the disk after it.
struct PowerCut {
    enum Outcome { case beforeCut, survived }

    private let limits: WorkloadLimits
    private let durability: DiskDurability
    private let call: Int
    private let loss: SimulatedDisk.Loss
    private var model: WorkloadModel

    init(_ limits: WorkloadLimits, _ durability: DiskDurability, afterCall call: Int, _ loss: SimulatedDisk.Loss) {
        (self.limits, self.durability, self.call, self.loss) = (limits, durability, call, loss)
        model = WorkloadModel(limits)
    }

    static func cache(_ disk: SimulatedDisk, _ limits: WorkloadLimits, _ durability: DiskDurability) -> DiskDataCache {
        workloadCache(WorkloadDisk.simulatedRoot, limits, durability, disk)
    }

    /// Runs the workload and the check. Returns `beforeCut` if the workload made fewer calls.
    func run() async throws -> Outcome {
        var cut = self
        return try await cut.check()
    }

    private mutating func check() async throws -> Outcome {
        let disk = try await prepared()
        let cache = Self.cache(disk, limits, durability)
        for step in WorkloadStep.scenario(limits) where disk.hasPower { await attempt(step, on: cache, disk) }
        if disk.hasPower { return .beforeCut }
        let later = disk.restarted(after: loss)
        try await expectIntact(Self.cache(later, limits, durability), later)
        return .survived
    }

    /// Returns a disk with the synchronized entries of an earlier launch.
    private mutating func prepared() async throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let earlier = Self.cache(disk, limits, durability)
        for step in WorkloadStep.earlier {
            model.begin(step)
            _ = try await step.run(on: earlier)
            model.end(step)
        }
        return disk.restarted(after: .nothing, powerCutAfter: call)
    }

    private mutating func attempt(_ step: WorkloadStep, on cache: DiskDataCache, _ disk: SimulatedDisk) async {
        model.begin(step)
        do {
            let found = try await step.run(on: cache)
            if let number = step.lookedUp, disk.hasPower {
                var before = model
                let isPossible = before.admits(found, of: number)
                #expect(isPossible, "\(model.text(number)): \(self.text)")
            }
            // Only a power cut can undo an acknowledged store, unless the durability prevents it.
            if durability == .powerLoss, disk.hasPower { model.end(step) }
        } catch {
            #expect(!disk.hasPower, "\(error): \(text)")
        }
    }

    private var text: String { "\(limits), \(durability), cut after call \(call), \(loss)" }

    /// Checks that entries are intact and that the cache works.
    private mutating func expectIntact(_ cache: DiskDataCache, _ disk: SimulatedDisk) async throws {
        if durability == .processCrash { for number in 0..<WorkloadLimits.keyCount { model.allowLoss(of: number) } }
        for number in 0..<WorkloadLimits.keyCount {
            let found = try await cache.entry(for: key(number))
            let isPossible = model.admits(found, of: number)
            let name = found.map { String(decoding: $0.metadata, as: UTF8.self) } ?? "absent"
            #expect(isPossible, "\(model.text(number)), not \(name): \(text)")
        }
        try await cache.store(genuine(11, 5), for: key(11))
        #expect(try await cache.entry(for: key(11)) == genuine(11, 5), "\(text)")
        let report = try await cache.verify()
        #expect(report.isIntact && (durability == .processCrash || report.damagedRemoved == 0), "\(text)")
        #expect(disk.byteCount <= limits.byteLimit, "\(disk.byteCount) bytes: \(text)")
        #expect(!disk.paths.contains { $0.hasSuffix(".part") }, "\(text)")
    }
}
