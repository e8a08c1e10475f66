public import ImageCore

/// Runs work at once: for tests that are not about order or limits.
public final class ImmediateScheduler: WorkScheduler {
    public init() {}

    public func run<Value: Sendable>(
        in lane: WorkLane, host: String?, priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await work()
    }
}
