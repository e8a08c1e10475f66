import Synchronization

/// Bounds the renderings in progress: in total, and for each origin, so that a slow or popular one can't use the whole
/// limit.
///
/// A short burst may wait for a decoder. But the gate is overloaded if it refused a rendering and a decode waited within
/// the last second. Then it lowers the limits, because a long queue would make each response late ("Fail at Scale", Ben
/// Maurer, ACM Queue 13.8, 2015).
public final class AdmissionGate: Sendable {
    /// The rendering was refused because a limit is reached.
    public struct Overload: Error, Hashable, Sendable {}

    /// The limits of a gate, each at least 1.
    public struct Limits: Hashable, Sendable {
        /// The most renderings in progress, in any stage.
        public let renderings: Int
        /// The most of them for one origin.
        public let renderingsPerOrigin: Int
        /// The number of decodes that run at a time.
        public let decoders: Int

        /// - Parameters:
        ///   - renderings: The most renderings in progress, in any stage.
        ///   - renderingsPerOrigin: The most of them for one origin; nil for three quarters.
        ///   - decoders: The number of decodes that run at a time.
        public init(renderings: Int, renderingsPerOrigin: Int? = nil, decoders: Int) {
            self.renderings = max(1, renderings)
            self.renderingsPerOrigin = max(1, renderingsPerOrigin ?? (renderings * 3 + 3) / 4)
            self.decoders = max(1, decoders)
        }

        /// The most renderings of one origin during an overload. A few more than decoders, because some download.
        var renderingsPerOriginInOverload: Int { min(renderingsPerOrigin, decoders * 5 / 4) }

        /// The most decodes that run or wait during an overload.
        var decodesInOverload: Int { decoders * 2 + 1 }
    }

    private struct State {
        var renderings = OriginCounts()
        /// The number of decodes that run or wait.
        var decodes = 0
        var lastRefusal: Duration?
        /// When a decode last waited for a decoder.
        var lastWait: Duration?

        /// Whether a rendering was refused and a decode waited within the last second.
        func isOverloaded(at now: Duration) -> Bool {
            guard let lastRefusal, let lastWait else { return false }
            return now - min(lastRefusal, lastWait) < .seconds(1)
        }
    }

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

    /// Runs a rendering: its download, decode and encoding. Throws `Overload` without running it if a limit is reached.
    public func run<Value: Sendable>(origin: String, _ rendering: () async throws -> Value) async throws -> Value {
        let now = elapsed()
        let isAdmitted = state.withLock { state in
            let isOverloaded = state.isOverloaded(at: now)
            let limit = isOverloaded ? limits.renderingsPerOriginInOverload : limits.renderingsPerOrigin
            guard state.renderings.total < limits.renderings, state.renderings[origin] < limit else {
                state.lastRefusal = now
                return false
            }
            state.renderings.add(origin)
            return true
        }
        guard isAdmitted else { throw Overload() }
        defer { state.withLock { $0.renderings.remove(origin) } }
        return try await rendering()
    }

    /// Runs the part of a rendering that needs a decoder. Throws `Overload` without running it if too many wait for one.
    public func runDecode<Value: Sendable>(_ decode: () async throws -> Value) async throws -> Value {
        let now = elapsed()
        let isAdmitted = state.withLock { state in
            if state.decodes >= limits.decoders { state.lastWait = now }
            guard !state.isOverloaded(at: now) || state.decodes < limits.decodesInOverload else {
                state.lastRefusal = now
                return false
            }
            state.decodes += 1
            return true
        }
        guard isAdmitted else { throw Overload() }
        defer { state.withLock { $0.decodes -= 1 } }
        return try await decode()
    }
}

/// The number of renderings in progress: in total, and for each origin.
private struct OriginCounts {
    private(set) var total = 0
    private var byOrigin: [String: Int] = [:]

    subscript(origin: String) -> Int { byOrigin[origin, default: 0] }

    mutating func add(_ origin: String) {
        total += 1
        byOrigin[origin, default: 0] += 1
    }

    mutating func remove(_ origin: String) {
        total -= 1
        let count = byOrigin[origin, default: 1] - 1
        byOrigin[origin] = count > 0 ? count : nil
    }
}
