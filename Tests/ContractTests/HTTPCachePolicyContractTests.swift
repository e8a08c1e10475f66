import Foundation
import ImageContractTesting
import ImageHTTPCaching
import Testing

@Suite("The contract of HTTPCachePolicy")
struct HTTPCachePolicyContractTests {
    static let policies: [any HTTPCachePolicy] = [
        RFC9111Policy(), RFC9111Policy(negativeLifetime: nil, defaultLifetime: .seconds(60)),
        FixedLifetimePolicy(lifetime: .seconds(60)), NeverStorePolicy(), BrokenPolicy(nil),
    ]

    @Test("all policies obey", arguments: policies, HTTPCachePolicyContract.rules)
    func real(_ policy: any HTTPCachePolicy, _ rule: ContractRule<HTTPCachePolicyContract.Subject>) async throws {
        try await rule.check(policy)
    }

    @Test("each rule bites a policy that breaks it", arguments: BrokenPolicy.Defect.allCases)
    func brokenDouble(_ defect: BrokenPolicy.Defect) async throws {
        let rule = try #require(HTTPCachePolicyContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) { try await rule.check(BrokenPolicy(defect)) }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(HTTPCachePolicyContract.rules.map(\.name)) == Set(BrokenPolicy.Defect.allCases.map(\.rawValue)))
    }
}

/// By the book, but for one broken promise.
struct BrokenPolicy: HTTPCachePolicy {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case counts = "gives the same answer to the same question"
        case storesParts = "stores nothing but answers to a GET for the whole, and no parts of others"
        case isDeaf = "asks the origin where the request says no-cache"
        case rejuvenates = "finds nothing fresh that was stale before"

        var testDescription: String { rawValue }
    }

    private let defect: Defect?
    private let calls = Counter()
    private let book = RFC9111Policy()

    init(_ defect: Defect?) { self.defect = defect }

    func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        defect == .storesParts || book.mayStore(response, to: request)
    }

    func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        switch defect {
        case .counts where calls.next().isMultiple(of: 2): .stale
        case .isDeaf: .fresh
        case .rejuvenates where now.timeIntervalSince(response.responseTime) > 1_000_000: .fresh
        default: book.reuse(response, for: request, at: now)
        }
    }
}
