import ImageCore
import ImageTesting
import Testing

@testable import ImageContractTesting
@testable import ImageScheduling

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
