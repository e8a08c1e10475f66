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

    static let interrupted = AttemptFailure(error: .cancelled, isInterrupted: true)
}

/// The retries of a download.
struct Retries {
    /// The start time of the first attempt.
    var start: Duration
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

    /// Throws if the host has just failed too often. Each admitted attempt must end with `succeeded` or `failed`.
    func admit(_ host: String?) throws(AttemptFailure) {
        guard let host else { return }
        let now = uptime()
        guard breakers.withLock({ $0[host]?.admits(now: now) ?? true }) else {
            throw AttemptFailure(error: .network(.hostUnavailable, "\(host) failed too often recently"))
        }
    }

    /// - Parameter budget: The request's own budget, if it has one.
    func succeeded(_ host: String?, _ budget: RetryBudget?) {
        ended(host, .up)
        (budget ?? self.budget).succeeded()
    }

    /// - Parameter isOffline: Whether there is no network. If so, the host doesn't count as failed.
    func failed(_ host: String?, _ error: any Error, isOffline: Bool) -> AttemptFailure {
        let failure = error as? AttemptFailure ?? AttemptFailure(error: ImageError(error))
        ended(host, isOffline ? .unknown : failure.error.hostStatus)
        return failure
    }

    /// Returns the wait before the next retry, or nil if there is none.
    func wait(after failure: AttemptFailure, _ retries: Retries, _ budget: RetryBudget?) -> Duration? {
        guard failure.error.isTransient,
            let delay = policy.delay(
                beforeRetry: retries.count, retryAfter: failure.retryAfter, elapsed: uptime() - retries.start)
        else { return nil }
        return (budget ?? self.budget).withdraw() ? delay : nil
    }

    /// Resets the circuit breakers, because the lost network may have caused the failures.
    func networkReturned() { breakers.withLock { $0 = [:] } }

    private func ended(_ host: String?, _ status: CircuitBreaker.HostStatus) {
        guard let host else { return }
        let now = uptime()
        let fresh = CircuitBreaker(threshold: policy.breakerThreshold, pause: policy.breakerPause)
        breakers.withLock { breakers in
            var breaker = breakers[host] ?? fresh
            breaker.ended(status, now: now)
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
        /// The attempt was cancelled or interrupted.
        case unknown
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
    mutating func admits(now: Duration) -> Bool {
        switch phase {
        case .closed: return true
        case .probing: return false
        case .open(let until):
            if now >= until { phase = .probing }
            return now >= until
        }
    }

    mutating func ended(_ status: HostStatus, now: Duration) {
        switch (phase, status) {
        case (_, .up): phase = .closed(failures: 0)
        case (.closed(let failures), .down) where failures + 1 < threshold: phase = .closed(failures: failures + 1)
        case (.closed, .down), (.probing, .down): phase = .open(until: now + pause)
        case (.probing, .unknown): phase = .open(until: now)
        case (.open, _), (.closed, .unknown): break
        }
    }
}
