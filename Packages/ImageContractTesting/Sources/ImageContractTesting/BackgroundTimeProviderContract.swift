public import ImageCore
import ImageTesting

/// A provider of background time, and control over its platform.
public struct BackgroundTimeFixture: Sendable {
    /// The provider under test.
    public let provider: any BackgroundTimeProvider
    /// Makes the platform report that the time is nearly over. Returns after all expiry handlers were called.
    public let expire: @Sendable () async -> Void
    /// Returns the number of allowances that the platform has granted and that haven't ended.
    public let heldCount: @Sendable () -> Int

    /// Creates a fixture.
    public init(
        provider: any BackgroundTimeProvider, expire: @escaping @Sendable () async -> Void,
        heldCount: @escaping @Sendable () -> Int
    ) {
        self.provider = provider
        self.expire = expire
        self.heldCount = heldCount
    }
}

/// The contract of `BackgroundTimeProvider`.
public enum BackgroundTimeProviderContract {
    /// Makes a provider on a platform that grants time.
    public typealias Subject = @Sendable () async throws -> BackgroundTimeFixture

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("an allowance is held until it is ended or released, and ending it again has no effect") { make in
            let fixture = try await make()
            let first = fixture.provider.begin {}
            var second = fixture.provider.begin {}
            try expect(first != nil && second != nil, "no time is granted")
            try expect(fixture.heldCount() == 2, "\(fixture.heldCount()) are held, not 2")
            first?.end()
            first?.end()
            try expect(fixture.heldCount() == 1, "\(fixture.heldCount()) are held after one was ended")
            second = nil
            try expect(fixture.heldCount() == 0, "\(fixture.heldCount()) are held after the other was released")
        },
        ContractRule("the expiry handler of a held allowance is called once") { make in
            let fixture = try await make()
            let log = MessageLog<Int>()
            let held = fixture.provider.begin { log.append(1) }
            await fixture.expire()
            held?.end()
            await fixture.expire()
            try expect(log.messages == [1], "the handler was called \(log.messages.count) times")
        },
        ContractRule("the expiry handler of an ended allowance is not called") { make in
            let fixture = try await make()
            let log = MessageLog<Int>()
            fixture.provider.begin { log.append(1) }?.end()
            await fixture.expire()
            try expect(log.messages.isEmpty, "the handler was called \(log.messages.count) times")
        },
    ]
}
