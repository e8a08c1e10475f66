import ImageContractTesting
import ImageCore
import ImageScheduling
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of WorkScheduler", .timeLimit(.minutes(5)))
struct WorkSchedulerContractTests {
    typealias Rule = ContractRule<WorkSchedulerContract.Subject>

    @Test("PriorityScheduler passes", arguments: WorkSchedulerContract.rules)
    func priorityScheduler(_ rule: Rule) async throws {
        try await rule.check { PriorityScheduler(lanes: [.decode: LaneOptions(limit: $0)]) }
    }

    @Test("PriorityScheduler passes with its own threads and limits per server", arguments: WorkSchedulerContract.rules)
    func prioritySchedulerOnExecutor(_ rule: Rule) async throws {
        try await WaitLimit.forThreads {
            try await rule.check { limit in
                let executor = DispatchTaskExecutor(name: "contract", width: 2)
                let lane = LaneOptions(limit: limit, perServerLimit: 1, executor: executor)
                return PriorityScheduler(lanes: [.decode: lane], maxOvertakes: nil)
            }
        }
    }

    @Test("OperationQueueScheduler passes", arguments: WorkSchedulerContract.rules)
    func operationQueueScheduler(_ rule: Rule) async throws {
        try await WaitLimit.forThreads {
            try await rule.check { OperationQueueScheduler(limits: [.decode: $0]) }
        }
    }

    @Test("ManualScheduler passes if its work is started in order", arguments: WorkSchedulerContract.rules)
    func manualScheduler(_ rule: Rule) async throws {
        try await rule.check { SelfStartingScheduler(limit: $0) }
    }

    @Test("ImmediateScheduler passes the rules without waiting", arguments: WorkSchedulerContract.rulesWithoutWaiting)
    func immediateScheduler(_ rule: Rule) async throws {
        try await rule.check { _ in ImmediateScheduler() }
    }

    @Test("a double without a defect passes", arguments: WorkSchedulerContract.rules)
    func unbrokenDouble(_ rule: Rule) async throws {
        try await rule.check { BrokenScheduler(.none, limit: $0) }
    }

    @Test("each rule fails for a scheduler that breaks it", arguments: BrokenScheduler.Defect.allCases)
    func brokenDouble(_ defect: BrokenScheduler.Defect) async throws {
        for name in defect.brokenRules {
            let rule = try #require(WorkSchedulerContract.rules.first { $0.name == name }, "no rule \(name)")
            await #expect(throws: ContractViolation.self, "\(name)") {
                try await rule.checkBrokenDouble { BrokenScheduler(defect, limit: $0) }
            }
        }
    }
}

/// A scheduler with a `ManualScheduler` for each lane. Starts its work in order as soon as a slot is free.
private final class SelfStartingScheduler: WorkScheduler {
    private let limit: Int
    private let lanes = Mutex<[WorkLane: (scheduler: ManualScheduler, starter: Task<Void, Never>)]>([:])

    init(limit: Int) { self.limit = limit }

    deinit { lanes.withLock { for lane in $0.values { lane.starter.cancel() } } }

    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        try await scheduler(of: lane).run(in: lane, server: server, priority: priority, work)
    }

    private func scheduler(of lane: WorkLane) -> ManualScheduler {
        lanes.withLock { lanes in
            if let lane = lanes[lane] { return lane.scheduler }
            let scheduler = ManualScheduler()
            lanes[lane] = (scheduler, Task { [limit] in await Self.startAll(of: scheduler, limit) })
            return scheduler
        }
    }

    private static func startAll(of scheduler: ManualScheduler, _ limit: Int) async {
        while !Task.isCancelled {
            await scheduler.waitUntil { canStart($0, limit) }
            if let next = scheduler.waiting.first { try? scheduler.start(next) }
        }
    }

    private static func canStart(_ messages: [ManualScheduler.Message], _ limit: Int) -> Bool {
        var (waiting, running) = (0, 0)
        for message in messages {
            switch message {
            case .enqueued: waiting += 1
            case .cancelled: waiting -= 1
            case .started: (waiting, running) = (waiting - 1, running + 1)
            case .finished: running -= 1
            case .reprioritized: break
            }
        }
        return waiting > 0 && running < limit
    }
}
