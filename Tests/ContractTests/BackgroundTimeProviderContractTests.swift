import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of BackgroundTimeProvider")
struct BackgroundTimeProviderContractTests {
    typealias Rule = ContractRule<BackgroundTimeProviderContract.Subject>

    @Test("the fake passes", arguments: BackgroundTimeProviderContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check {
            let fake = FakeBackgroundTime()
            return BackgroundTimeFixture(provider: fake, expire: { fake.expire() }, heldCount: { fake.heldCount })
        }
    }

    @Test("each rule fails for a provider that breaks it", arguments: BrokenBackgroundTime.Defect.allCases)
    func brokenDouble(_ defect: BrokenBackgroundTime.Defect) async throws {
        let rule = try #require(BackgroundTimeProviderContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check {
                let broken = BrokenBackgroundTime(defect)
                return BackgroundTimeFixture(
                    provider: broken, expire: { broken.base.expire() }, heldCount: { broken.base.heldCount })
            }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        let names = BrokenBackgroundTime.Defect.allCases.map(\.rawValue)
        #expect(Set(BackgroundTimeProviderContract.rules.map(\.name)) == Set(names))
    }
}

/// A fake that breaks one rule.
final class BrokenBackgroundTime: BackgroundTimeProvider {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case neverEnds = "an allowance is held until it is ended or released, and ending it again has no effect"
        case callsTwice = "the expiry handler of a held allowance is called once"
        case callsAfterEnd = "the expiry handler of an ended allowance is not called"

        var testDescription: String { rawValue }
    }

    let base = FakeBackgroundTime()
    private let defect: Defect
    private let kept = Mutex<[BackgroundAllowance]>([])

    init(_ defect: Defect) { self.defect = defect }

    func begin(onExpiry: @escaping @Sendable () -> Void) -> BackgroundAllowance? {
        let allowance = base.begin { [defect] in
            onExpiry()
            if defect == .callsTwice { onExpiry() }
        }
        guard defect == .neverEnds || defect == .callsAfterEnd, let allowance else { return allowance }
        kept.withLock { $0.append(allowance) }
        return BackgroundAllowance {}
    }
}
