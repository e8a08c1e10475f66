import ImageCoalescing
import ImageCore
import ImageScheduling
import ImageTesting
import Testing

@testable import ImageContractTesting

@Suite("The contract of RequestCoalescer", .timeLimit(.minutes(5)))
struct RequestCoalescerContractTests {
    typealias Rule = ContractRule<RequestCoalescerContract.Subject>

    @Test("TaskCoalescer passes", arguments: RequestCoalescerContract.rules)
    func taskCoalescer(_ rule: Rule) async throws {
        try await rule.check { TaskCoalescer<String, Int>() }
    }

    @Test("TaskCoalescer passes with its own threads", arguments: RequestCoalescerContract.rules)
    func taskCoalescerOnExecutor(_ rule: Rule) async throws {
        try await WaitLimit.forThreads {
            try await rule.check {
                TaskCoalescer<String, Int>(executor: DispatchTaskExecutor(name: "contract", width: 2))
            }
        }
    }

    @Test("a double without a defect passes", arguments: RequestCoalescerContract.rules)
    func unbrokenDouble(_ rule: Rule) async throws {
        try await rule.check { BrokenCoalescer(.none) }
    }

    @Test("each rule fails for a coalescer that breaks it", arguments: BrokenCoalescer.Defect.all)
    func brokenDouble(_ defect: BrokenCoalescer.Defect) async throws {
        for name in defect.brokenRules {
            let rule = try #require(RequestCoalescerContract.rules.first { $0.name == name }, "no rule \(name)")
            await #expect(throws: ContractViolation.self, "\(name)") {
                try await rule.checkBrokenDouble { BrokenCoalescer(defect) }
            }
        }
    }
}
