import ImageCore
import ImageScheduling
import ImageTesting
import Testing

/// A real scheduler with one defect.
final class BrokenScheduler: WorkScheduler {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case none, runsTwice, replacesErrors, keepsSlotAfterError, detachesWork, startsTask, runsForCancelledTask
        case hasOneLane, exceedsLimit, leavesSlotFree, releasesSlotWhenCancelled, ignoresPriority, prefersLateWork
        case ignoresChanges, releasesSlotWhenChanged, startsOldestEarly, runsCancelledWork, keepsSlotOfCancelled

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let limit: Int
    private let base: PriorityScheduler

    init(_ defect: Defect, limit: Int) {
        self.defect = defect
        var lane = LaneOptions(limit: limit)
        if defect == .exceedsLimit { lane.limit += 1 }
        if defect == .leavesSlotFree { lane.limit -= 1 }
        self.limit = lane.limit
        base = PriorityScheduler(lanes: [.decode: lane], maxOvertakes: defect == .startsOldestEarly ? 8 : 64)
    }

    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        try await run(in: lane, server: server, priority: priority) { try await work { _ in } }
    }

    /// All work goes through this method, because no defect concerns the bytes that are reported.
    private func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        switch defect {
        case .runsForCancelledTask where Task.isCancelled: return try await work()
        case .runsCancelledWork: return try await runInTask(lane, priority, work)
        case .keepsSlotOfCancelled: return try await keepSlot(lane, priority, work)
        default: break
        }
        return try await base.run(in: changed(lane), server: server, priority: changed(priority)) {
            try await self.runBroken(priority, work)
        }
    }

    private func changed(_ lane: WorkLane) -> WorkLane { defect == .hasOneLane ? .decode : lane }

    private func changed(_ priority: LivePriority) -> LivePriority {
        switch defect {
        case .ignoresPriority: LivePriority(.normal)
        case .ignoresChanges: LivePriority(priority.value)
        case .prefersLateWork where base.waitingCount >= 10 && priority.value == .normal: LivePriority(.high)
        default: priority
        }
    }

    /// Runs work that has a slot.
    private func runBroken<Value: Sendable>(
        _ priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        switch defect {
        case .runsTwice:
            _ = try await work()
            return try await work()
        case .replacesErrors, .keepsSlotAfterError: return try await runFailing(work)
        case .detachesWork:
            return try await withoutActuallyEscaping(work) { work in try await Task.detached { try await work() }.value
            }
        case .startsTask:
            return try await withoutActuallyEscaping(work) { work in try await Task { try await work() }.value }
        case .releasesSlotWhenCancelled:
            return try await withTaskCancellationHandler(operation: work) { addSlot() }
        case .releasesSlotWhenChanged:
            let observation = priority.observe { _ in self.addSlot() }
            defer { observation.cancel() }
            return try await work()
        default: return try await work()
        }
    }

    private func addSlot() { base[limitOf: .decode] = limit + 1 }

    private func runFailing<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch {
            if defect == .replacesErrors { throw CancellationError() }
            base[limitOf: .decode] = 0
            throw error
        }
    }

    /// Runs the work in another task, which is not cancelled.
    private func runInTask<Value: Sendable>(
        _ lane: WorkLane, _ priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withoutActuallyEscaping(work) { [base] work in
            try await Task { try await base.run(in: lane, server: nil, priority: priority, work) }.value
        }
    }

    /// Keeps a slot if its work is cancelled when no other work runs: after it got the slot, before it starts.
    private func keepSlot<Value: Sendable>(
        _ lane: WorkLane, _ priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await base.run(in: lane, server: nil, priority: priority, work)
        } catch let error as CancellationError {
            if base.runningCount == 0 { base[limitOf: .decode] = limit - 1 }
            throw error
        }
    }
}

extension BrokenScheduler.Defect {
    private static let slots =
        "a lane uses all of its slots and no more, and running work that is cancelled or changes priority keeps its slot"
    private static let order =
        "waiting work starts by its current priority, then in order of arrival, and is passed over at least 32 times"
    private static let cancelledWork =
        "work that is cancelled while it waits never runs, its call throws CancellationError at once, and others continue"

    var brokenRules: [String] {
        switch self {
        case .none: []
        case .runsTwice, .replacesErrors, .keepsSlotAfterError:
            ["the scheduler runs each closure once, returns its value or throws its error, and frees its slot"]
        case .detachesWork, .startsTask:
            ["work runs in its caller's task: task-local values are visible, and cancellation reaches the work"]
        case .runsForCancelledTask: ["a task that is cancelled before it calls never runs its work"]
        case .hasOneLane: ["a full lane does not block other lanes"]
        case .exceedsLimit, .leavesSlotFree, .releasesSlotWhenCancelled, .releasesSlotWhenChanged: [Self.slots]
        case .ignoresPriority, .prefersLateWork, .ignoresChanges, .startsOldestEarly: [Self.order]
        case .runsCancelledWork: [Self.cancelledWork]
        case .keepsSlotOfCancelled: ["work that is cancelled at the moment of its turn leaves no slot occupied"]
        }
    }
}
