import ImageCore
import ImageTransporting
import Synchronization

/// Why an attempt failed.
struct AttemptFailure: Error {
    var error: ImageError
    /// The wait that the origin requested, if any.
    var retryAfter: Duration?
    /// Whether conditions did not allow it. Then it starts again when they do.
    var isInterrupted = false
    /// When the attempt started. Nil if it was refused.
    var start: Duration?

    static let interrupted = AttemptFailure(error: .cancelled, isInterrupted: true)
}

/// The retries of a download. They start anew when a lost network returns.
struct Retries {
    /// When the first attempt started, after it had waited for conditions and for a slot.
    var start: Duration?
    var count = 0
}

/// Decides for all downloads of a loader whether an attempt may start, and when it is retried.
final class RetryController: Sendable {
    private let policy: RetryPolicy
    /// The budget of requests without their own.
    private let budget: RetryBudget
    private let breakers = Mutex<[String: CircuitBreaker]>([:])
    /// The time since this controller was created.
    let uptime: @Sendable () -> Duration

    init(_ policy: RetryPolicy, clock: any Clock<Duration>) {
        self.policy = policy
        budget = RetryBudget(capacity: policy.sharedBudget)
        uptime = stopwatch(clock)
    }

    /// Returns whether the attempt is the probe of a half-open breaker. Throws if the breaker is open.
    ///
    /// Each admitted attempt must end with `succeeded` or `failed`.
    func admit(_ host: String?) throws(AttemptFailure) -> Bool {
        guard let host else { return false }
        let now = uptime()
        switch breakers.withLock({ $0[host]?.admit(now: now) ?? .admitted }) {
        case .admitted: return false
        case .probe: return true
        case .refused: throw AttemptFailure(error: .network(.hostUnavailable, "\(host) failed too often recently"))
        }
    }

    /// - Parameter budget: The request's own budget, if it has one.
    func succeeded(_ host: String?, _ budget: RetryBudget?) {
        ended(host, .up, isProbe: false)
        (budget ?? self.budget).succeeded()
    }

    /// - Parameter isOffline: Whether there is no network. If so, the host doesn't count as failed.
    func failed(_ host: String?, _ error: any Error, isProbe: Bool, isOffline: Bool) -> AttemptFailure {
        let failure = error as? AttemptFailure ?? AttemptFailure(error: ImageError(error))
        ended(host, isOffline ? .unknown : failure.error.hostStatus, isProbe: isProbe)
        return failure
    }

    /// Takes a retry from the budget and returns the delay before it. Returns nil if there is to be none.
    func delay(after failure: AttemptFailure, _ retries: Retries, _ budget: RetryBudget?) -> Duration? {
        let elapsed = retries.start.map { uptime() - $0 } ?? .zero
        guard failure.error.isTransient,
            let delay = policy.delay(beforeRetry: retries.count, retryAfter: failure.retryAfter, elapsed: elapsed)
        else { return nil }
        return (budget ?? self.budget).withdraw() ? delay : nil
    }

    /// Resets the circuit breakers, because the lost network may have caused the failures.
    func networkReturned() { breakers.withLock { $0 = [:] } }

    private func ended(_ host: String?, _ status: CircuitBreaker.HostStatus, isProbe: Bool) {
        guard let host else { return }
        let now = uptime()
        let fresh = CircuitBreaker(threshold: policy.breakerThreshold, pause: policy.breakerPause)
        breakers.withLock { breakers in
            var breaker = breakers[host] ?? fresh
            breaker.ended(status, isProbe: isProbe, now: now)
            breakers[host] = breaker.isPristine ? nil : breaker
        }
    }
}

extension ImageError {
    /// The status of the host. Any response from the host itself shows that it is up. An error of a gateway does not.
    fileprivate var hostStatus: CircuitBreaker.HostStatus {
        switch self {
        case .network(.unresolvedHost, _), .network(.connectionRefused, _), .network(.connectionLost, _),
            .network(.timedOut, _):
            .down
        case .httpStatus(502), .httpStatus(503), .httpStatus(504): .down
        case .httpStatus, .notFound: .up
        default: .unknown
        }
    }
}

/// Rejects transfers to a host after several consecutive failures (Nygard, "Release It!", 2007). It reads no clock.
///
/// While closed, it admits all attempts; while open, none for some time. Then a single attempt decides (half-open).
struct CircuitBreaker {
    /// The status of a host after an attempt.
    enum HostStatus {
        case up, down
        /// The attempt was cancelled, or its failure says nothing about the host.
        case unknown
    }

    enum Admission {
        case admitted, refused
        /// Admitted as the single attempt that decides.
        case probe
    }

    private enum Phase: Equatable {
        case closed(failures: Int)
        case open(until: Duration)
        case probing
    }

    private let threshold: Int
    private let pause: Duration
    private var phase = Phase.closed(failures: 0)

    init(threshold: Int, pause: Duration) {
        self.threshold = threshold
        self.pause = pause
    }

    /// Whether it is closed, without failures.
    var isPristine: Bool { phase == .closed(failures: 0) }

    /// Returns whether an attempt may start. If so, call `ended` after the attempt.
    mutating func admit(now: Duration) -> Admission {
        switch phase {
        case .closed: return .admitted
        case .probing: return .refused
        case .open(let until):
            if now < until { return .refused }
            phase = .probing
            return .probe
        }
    }

    mutating func ended(_ status: HostStatus, isProbe: Bool, now: Duration) {
        switch (phase, status) {
        case (_, .up): phase = .closed(failures: 0)
        case (.closed(let failures), .down) where failures + 1 < threshold: phase = .closed(failures: failures + 1)
        case (.closed, .down), (.probing, .down): phase = .open(until: now + pause)
        case (.probing, .unknown) where isProbe: phase = .open(until: now)
        case (.open, _), (.closed, .unknown), (.probing, .unknown): break
        }
    }
}
