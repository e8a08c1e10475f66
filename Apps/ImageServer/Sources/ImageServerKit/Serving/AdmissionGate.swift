import Synchronization

/// Bounds the renderings in progress: in total, and for each origin, so that a slow or popular one can't use the whole
/// limit.
public final class AdmissionGate: Sendable {
    /// The number of renderings in progress has reached its limit.
    public struct Overload: Error, Hashable, Sendable {}

    private struct State {
        var total = 0
        var byOrigin: [String: Int] = [:]
        var refusals = 0
    }

    private let limit: Int
    private let originLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: The most renderings in progress, waiting or running. At least 1.
    ///   - originLimit: The most of them for one origin. At least 1; half of `limit` by default.
    public init(limit: Int, originLimit: Int? = nil) {
        self.limit = max(1, limit)
        self.originLimit = max(1, originLimit ?? (limit + 1) / 2)
    }

    /// The number of renderings in progress.
    public var count: Int { state.withLock { $0.total } }

    /// The number of refused renderings.
    public var refusalCount: Int { state.withLock { $0.refusals } }

    /// Runs a rendering. Throws `Overload` without running it if a limit is reached.
    public func run<Value: Sendable>(
        origin: String, _ rendering: () async throws -> Value
    ) async throws -> Value {
        try enter(origin)
        defer { leave(origin) }
        return try await rendering()
    }

    private func enter(_ origin: String) throws(Overload) {
        let isAdmitted = state.withLock { state in
            let count = state.byOrigin[origin, default: 0]
            guard state.total < limit, count < originLimit else {
                state.refusals += 1
                return false
            }
            state.total += 1
            state.byOrigin[origin] = count + 1
            return true
        }
        if !isAdmitted { throw Overload() }
    }

    private func leave(_ origin: String) {
        state.withLock { state in
            state.total -= 1
            let count = state.byOrigin[origin, default: 1] - 1
            state.byOrigin[origin] = count > 0 ? count : nil
        }
    }
}
