import Synchronization

/// Bounds the renderings in progress: in total, and for each origin, so that a slow or popular one can't use the whole
/// limit.
///
/// A burst may wait for a decoder: the images of one page are done within a moment. But if renderings were refused and
/// decodes waited within the last second, more is asked for than can be done, and a long queue would only make each answer
/// late. Then an origin may have about one rendering for each decoder. The idea is from "Fail at Scale" (Ben Maurer, ACM
/// Queue 13.8, 2015).
public final class AdmissionGate: Sendable {
    /// More is asked for than can be done.
    public struct Overload: Error, Hashable, Sendable {}

    /// The limits of a gate.
    public struct Limits: Hashable, Sendable {
        /// The most renderings in progress, in any stage. At least 1.
        public var renderings: Int
        /// The most of them for one origin. At least 1.
        public var renderingsPerOrigin: Int
        /// The number of decodes that run at a time. At least 1.
        public var decoders: Int

        /// - Parameters:
        ///   - renderings: The most renderings in progress, in any stage.
        ///   - renderingsPerOrigin: The most of them for one origin; nil for three quarters.
        ///   - decoders: The number of decodes that run at a time.
        public init(renderings: Int, renderingsPerOrigin: Int? = nil, decoders: Int) {
            self.renderings = max(1, renderings)
            self.renderingsPerOrigin = max(1, renderingsPerOrigin ?? (renderings * 3 + 3) / 4)
            self.decoders = max(1, decoders)
        }
    }

    private struct State {
        var renderings = OriginCounts()
        var decodes = OriginCounts()
        var refusalCount = 0
        var lastRefusal: Duration?
        /// When a decode had to wait for a decoder.
        var lastWait: Duration?
    }

    /// How long the limits stay low after a refusal.
    private static let overloadTime = Duration.seconds(1)

    private let limits: Limits
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limits: The limits.
    ///   - clock: Measures the time since a refusal.
    public init(limits: Limits, clock: any Clock<Duration>) {
        self.limits = limits
        elapsed = elapsedTime(of: clock)
    }

    /// The number of renderings in progress.
    public var count: Int { state.withLock { $0.renderings.total } }

    /// The number of refused renderings.
    public var refusalCount: Int { state.withLock { $0.refusalCount } }

    /// Runs a rendering: its download, decode and encoding. Throws `Overload` without running it if a limit is reached.
    public func run<Value: Sendable>(origin: String, _ rendering: () async throws -> Value) async throws -> Value {
        let now = elapsed()
        try enter(origin, \.renderings, at: now) { [self] state in
            let limit = isOverloaded(state, at: now) ? limits.decoders * 5 / 4 : limits.renderingsPerOrigin
            return state.renderings.total < limits.renderings && state.renderings[origin] < limit
        }
        defer { leave(origin, \.renderings) }
        return try await rendering()
    }

    /// Runs the part of a rendering that needs a decoder. Throws `Overload` without running it if too many wait for one.
    public func runDecode<Value: Sendable>(origin: String, _ decode: () async throws -> Value) async throws -> Value {
        let now = elapsed()
        try enter(origin, \.decodes, at: now) { [self] state in
            if state.decodes.total >= limits.decoders { state.lastWait = now }
            // One place more than an origin may use is left for the others.
            return !isOverloaded(state, at: now) || state.decodes.total <= limits.decoders * 2
        }
        defer { leave(origin, \.decodes) }
        return try await decode()
    }

    private func enter(
        _ origin: String, _ counts: WritableKeyPath<State, OriginCounts>, at now: Duration,
        if isAdmitted: (inout State) -> Bool
    ) throws(Overload) {
        let isAdmitted = state.withLock { state in
            guard isAdmitted(&state) else {
                state.refusalCount += 1
                state.lastRefusal = now
                return false
            }
            state[keyPath: counts].add(origin)
            return true
        }
        if !isAdmitted { throw Overload() }
    }

    private func leave(_ origin: String, _ counts: WritableKeyPath<State, OriginCounts>) {
        state.withLock { $0[keyPath: counts].remove(origin) }
    }

    private func isOverloaded(_ state: State, at now: Duration) -> Bool {
        [state.lastRefusal, state.lastWait].allSatisfy { $0.map { now - $0 < Self.overloadTime } ?? false }
    }
}
