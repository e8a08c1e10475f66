import ImageCore
import ImageTransporting
import Synchronization

/// Why an attempt failed.
struct AttemptFailure: Error {
    var error: ImageError
    /// The wait that the origin asked for, if it did.
    var retryAfter: Duration?
    /// Conditions did not allow it to continue: it starts again when they do.
    var isInterrupted = false

    static let interrupted = AttemptFailure(error: .cancelled, isInterrupted: true)
}

/// How often one download has been retried.
struct Retries {
    /// When the first attempt started.
    var start: Duration
    var count = 0
}

/// Decides for all downloads of a loader whether an attempt may start, and whether and when it is retried.
final class RetryController: Sendable {
    private let policy: RetryPolicy
    /// For requests without one of their own.
    private let budget: RetryBudget
    private let breakers = Mutex<[String: CircuitBreaker]>([:])
    /// The time since this controller was created.
    let uptime: @Sendable () -> Duration

    init(_ policy: RetryPolicy, clock: any Clock<Duration>) {
        self.policy = policy
        budget = RetryBudget(capacity: policy.sharedBudget)
        uptime = stopwatch(clock)
    }

    /// Throws if the host has failed too often just before. Each admitted attempt must end with `succeeded` or `failed`.
    func admit(_ host: String?) throws(AttemptFailure) {
        let (host, now) = (host ?? "", uptime())
        guard breakers.withLock({ $0[host]?.admits(now: now) ?? true }) else {
            throw AttemptFailure(error: .network(.hostUnavailable, "\(host) failed too often just now"))
        }
    }

    /// - Parameter budget: The request's own, if it has one.
    func succeeded(_ host: String?, _ budget: RetryBudget?) {
        ended(host ?? "", .up)
        (budget ?? self.budget).succeeded()
    }

    /// - Parameter isOffline: Whether there is no network: then the failure says nothing about the host.
    func failed(_ host: String?, _ error: any Error, isOffline: Bool) -> AttemptFailure {
        let failure = error as? AttemptFailure ?? AttemptFailure(error: ImageError(error))
        ended(host ?? "", isOffline ? .unknown : failure.error.finding)
        return failure
    }

    /// The wait before the next retry; nil if there is none.
    func wait(after failure: AttemptFailure, _ retries: Retries, _ budget: RetryBudget?) -> Duration? {
        guard failure.error.isTransient,
            let delay = policy.delay(
                beforeRetry: retries.count, retryAfter: failure.retryAfter, elapsed: uptime() - retries.start)
        else { return nil }
        return (budget ?? self.budget).withdraw() ? delay : nil
    }

    /// Failures of hosts while the network was lost do not count.
    func networkReturned() { breakers.withLock { $0 = [:] } }

    private func ended(_ host: String, _ finding: CircuitBreaker.Finding) {
        let now = uptime()
        let fresh = CircuitBreaker(threshold: policy.breakerThreshold, pause: policy.breakerPause)
        breakers.withLock { breakers in
            var breaker = breakers[host] ?? fresh
            breaker.ended(finding, now: now)
            breakers[host] = breaker.isPristine ? nil : breaker
        }
    }
}

extension ImageError {
    /// What the error says about the host. Any answer of its own shows that it is up; an error from a gateway does not.
    fileprivate var finding: CircuitBreaker.Finding {
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
