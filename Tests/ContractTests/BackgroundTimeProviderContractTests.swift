import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of BackgroundTimeProvider")
struct BackgroundTimeProviderContractTests {
    typealias Rule = ContractRule<BackgroundTimeProviderContract.Subject>

    @Test("the fake obeys", arguments: BackgroundTimeProviderContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check {
            let fake = FakeBackgroundTime()
            return BackgroundTimeFixture(provider: fake, expire: { fake.expire() }, heldCount: { fake.heldCount })
        }
    }

    @Test("each rule bites a provider that breaks it", arguments: BrokenBackgroundTime.Defect.allCases)
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

/// The fake, but for one promise that it breaks.
final class BrokenBackgroundTime: BackgroundTimeProvider {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case keepsTime = "time is held until it is ended, once, or let go"
        case tellsTwice = "who holds time is told once that it is nearly over"
        case tellsTheEnded = "who has ended it is not told"

        var testDescription: String { rawValue }
    }

    let base = FakeBackgroundTime()
    private let defect: Defect
    private let kept = Mutex<[BackgroundAllowance]>([])

    init(_ defect: Defect) { self.defect = defect }

    func begin(onExpiry: @escaping @Sendable () -> Void) -> BackgroundAllowance? {
        let allowance = base.begin { [defect] in
            onExpiry()
            if defect == .tellsTwice { onExpiry() }
        }
        guard defect == .keepsTime || defect == .tellsTheEnded, let allowance else { return allowance }
        kept.withLock { $0.append(allowance) }
        return BackgroundAllowance {}
    }
}
