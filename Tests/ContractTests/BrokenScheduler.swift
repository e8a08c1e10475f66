import ImageCore
import ImageTesting
import Testing

@testable import ImageScheduling

/// A real scheduler with one defect.
final class BrokenScheduler: WorkScheduler {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case none, runsTwice, replacesErrors, keepsSlotAfterError, exceedsLimit, leavesSlotFree
        case releasesSlotWhenCancelled, ignoresPriority, ignoresChanges, startsOldestEarly, runsCancelledWork

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
        if defect == .runsCancelledWork { return try await runInTask(lane, priority, work) }
        return try await base.run(in: lane, server: server, priority: changed(priority)) {
            try await self.runBroken(work)
        }
    }

    private func changed(_ priority: LivePriority) -> LivePriority {
        switch defect {
        case .ignoresPriority: LivePriority(.normal)
        case .ignoresChanges: LivePriority(priority.value)
        default: priority
        }
    }

    /// Runs work that has a slot.
    private func runBroken<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        switch defect {
        case .runsTwice:
            _ = try await work()
            return try await work()
        case .replacesErrors, .keepsSlotAfterError: return try await runFailing(work)
        case .releasesSlotWhenCancelled:
            return try await withTaskCancellationHandler(operation: work) { base[limitOf: .decode] = limit + 1 }
        default: return try await work()
        }
    }

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
        case .exceedsLimit, .leavesSlotFree, .releasesSlotWhenCancelled: [Self.slots]
        case .ignoresPriority, .ignoresChanges, .startsOldestEarly: [Self.order]
        case .runsCancelledWork: [Self.cancelledWork]
        }
    }
}
