import ImageContractTesting
import ImageMemoryCaching
import Testing

@Suite("The contract of EvictionOrder")
struct EvictionOrderContractTests {
    typealias Rule = ContractRule<EvictionOrderContract.Subject>

    static let policies: [EvictionPolicy] = [
        .lru, .s3FIFO, .lfu, .gdsf, .gdsf(preferredWeight: 0.001), .twoBudgets(), .twoBudgets(preferredShare: 0),
        .twoBudgets(preferredShare: 1),
    ]

    @Test("the policies pass", arguments: policies, EvictionOrderContract.rules)
    func builtIn(_ policy: EvictionPolicy, _ rule: Rule) async throws { try await rule.check(policy) }

    @Test("a double without a defect passes", arguments: EvictionOrderContract.rules)
    func unbrokenDouble(_ rule: Rule) async throws {
        try await rule.check(BrokenOrder.policy(nil))
    }

    @Test("each rule fails for an order that breaks it", arguments: EvictionOrderContract.rules)
    func brokenDouble(_ rule: Rule) async throws {
        let defect = try #require(BrokenOrder.Defect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) { try await rule.check(BrokenOrder.policy(defect)) }
    }
}
