import Foundation
import ImageContractTesting
import ImageHTTPCaching
import Testing

@testable import ImageTesting

@Suite("The contract of HTTPCachePolicy")
struct HTTPCachePolicyContractTests {
    static let policies: [any HTTPCachePolicy] = [
        RFC9111Policy(), RFC9111Policy(negativeLifetime: nil, defaultLifetime: .seconds(60)),
        FixedLifetimePolicy(lifetime: .seconds(60)), BrokenPolicy(nil),
    ]

    @Test("all policies pass", arguments: policies, HTTPCachePolicyContract.rules)
    func real(_ policy: any HTTPCachePolicy, _ rule: ContractRule<HTTPCachePolicyContract.Subject>) async throws {
        try await rule.check(policy)
    }

    @Test("each rule fails for a policy that breaks it", arguments: BrokenPolicy.Defect.allCases)
    func brokenDouble(_ defect: BrokenPolicy.Defect) async throws {
        let rule = try #require(HTTPCachePolicyContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) { try await rule.check(BrokenPolicy(defect)) }
    }
}

/// An RFC 9111 policy that breaks one rule, or none without a defect.
struct BrokenPolicy: HTTPCachePolicy {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case isUnstable = "the policy returns the same decision for the same input"
        case storesParts = "the policy stores only complete responses to unconditional GET requests"
        case ignoresNoCache = "the policy revalidates a response if the request says no-cache"
        case freshensStaleResponses = "a response that was stale is never fresh again"
        case trustsTheFuture = "a response that arrived after now is not fresh"

        var testDescription: String { rawValue }
    }

    private let defect: Defect?
    private let calls = Counter()
    private let base = RFC9111Policy()

    init(_ defect: Defect?) { self.defect = defect }

    func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        defect == .storesParts || base.mayStore(response, to: request)
    }

    func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        switch defect {
        case .isUnstable where calls.next().isMultiple(of: 2): .stale
        case .ignoresNoCache: .fresh
        case .freshensStaleResponses where now.timeIntervalSince(response.responseTime) > 1_000_000: .fresh
        case .trustsTheFuture: base.reuse(response, for: request, at: max(now, response.responseTime))
        default: base.reuse(response, for: request, at: now)
        }
    }
}
