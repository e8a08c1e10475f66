public import ImageCore

/// A scheduler that runs all work immediately. Use it in tests that don't depend on order or limits.
public final class ImmediateScheduler: WorkScheduler {
    /// Creates a scheduler.
    public init() {}

    public func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await work { _ in }
    }
}
