public import ImageCore
import ImageTesting

/// A provider of time in the background, and the platform behind it.
public struct BackgroundTimeFixture: Sendable {
    public let provider: any BackgroundTimeProvider
    /// Lets the platform say that the time is nearly over. Returns when all are told that are told.
    public let expire: @Sendable () async -> Void
    /// How many allowances the platform has given and not got back.
    public let heldCount: @Sendable () -> Int

    public init(
        provider: any BackgroundTimeProvider, expire: @escaping @Sendable () async -> Void,
        heldCount: @escaping @Sendable () -> Int
    ) {
        self.provider = provider
        self.expire = expire
        self.heldCount = heldCount
    }
}

/// What every `BackgroundTimeProvider` promises.
public enum BackgroundTimeProviderContract {
    /// Makes a provider on a platform that gives time.
    public typealias Subject = @Sendable () async throws -> BackgroundTimeFixture

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("time is held until it is ended, once, or let go") { make in
            let fixture = try await make()
            let first = fixture.provider.begin {}
            var second = fixture.provider.begin {}
            try expect(first != nil && second != nil, "no time is given")
            try expect(fixture.heldCount() == 2, "\(fixture.heldCount()) are held, not 2")
            first?.end()
            first?.end()
            try expect(fixture.heldCount() == 1, "\(fixture.heldCount()) are held after one was ended")
            second = nil
            try expect(fixture.heldCount() == 0, "\(fixture.heldCount()) are held after the other was let go")
        },
        ContractRule("who holds time is told once that it is nearly over") { make in
            let fixture = try await make()
            let log = MessageLog<Int>()
            let held = fixture.provider.begin { log.append(1) }
            await fixture.expire()
            held?.end()
            await fixture.expire()
            try expect(log.messages == [1], "told \(log.messages.count) times")
        },
        ContractRule("who has ended it is not told") { make in
            let fixture = try await make()
            let log = MessageLog<Int>()
            fixture.provider.begin { log.append(1) }?.end()
            await fixture.expire()
            try expect(log.messages.isEmpty, "told \(log.messages.count) times")
        },
    ]
}
