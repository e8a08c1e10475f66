import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why an attempt failed, and when the origin wants to be asked again, if it said so.
struct AttemptFailure: Error {
    var error: ImageError
    var retryAfter: Duration?
    /// It was broken off, because conditions forbade it to go on: it begins anew when they allow it.
    var isBrokenOff = false

    static let brokenOff = AttemptFailure(error: .cancelled, isBrokenOff: true)
}

/// What all transfers of a loader ask whether they may begin, and whether and when again: a budget, and the lock around the circuit
/// breakers of hosts that have failed.
final class RetryGovernor: Sendable {
    private let policy: RetryPolicy
    /// For requests that bring none of their own.
    private let budget: RetryBudget
    private let breakers = Mutex<[String: CircuitBreaker]>([:])
    /// The time since this governor was made.
    let uptime: @Sendable () -> Duration

    init(_ policy: RetryPolicy, clock: any Clock<Duration>) {
        self.policy = policy
        budget = RetryBudget(capacity: policy.sharedBudget)
        uptime = stopwatch(clock)
    }

    /// An attempt is to begin. Throws if its host is to be left alone.
    func admit(_ host: String?) throws(AttemptFailure) {
        let host = host ?? ""
        guard admits(host) else {
            throw AttemptFailure(error: .network(.hostUnavailable, "\(host) failed too often just now"))
        }
    }

    /// - Parameter budget: the request's own, if it has one.
    func succeeded(_ host: String?, _ budget: RetryBudget?) {
        ended(host ?? "", .up)
        (budget ?? self.budget).succeeded()
    }

    /// - Parameter isOffline: without a network nothing is learnt of the host.
    func failed(_ host: String?, _ error: any Error, isOffline: Bool = false) -> AttemptFailure {
        let failure = error as? AttemptFailure ?? AttemptFailure(error: ImageError(error))
        ended(host ?? "", isOffline ? .unknown : failure.error.finding)
        return failure
    }

    /// How long to wait before retry number `retry` (from 0); nil when there is to be none.
    func wait(
        after failure: AttemptFailure, retry: Int, elapsed: Duration, _ budget: RetryBudget?
    ) -> Duration? {
        guard failure.error.mayHeal,
            let delay = policy.delay(beforeRetry: retry, retryAfter: failure.retryAfter, elapsed: elapsed)
        else { return nil }
        return (budget ?? self.budget).withdraw() ? delay : nil
    }

    /// What hosts did while the network was going says nothing of them.
    func networkReturned() { breakers.withLock { $0 = [:] } }

    private func admits(_ host: String) -> Bool {
        guard hasFailed(host) else { return true }
        let now = uptime()
        return breakers.withLock { $0[host]?.admits(now: now) ?? true }
    }

    /// Whether there is anything to remember of the host.
    private func hasFailed(_ host: String) -> Bool { breakers.withLock { $0[host] != nil } }

    private func ended(_ host: String, _ finding: CircuitBreaker.Finding) {
        guard finding == .down || hasFailed(host) else { return }
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
    /// Whether the host was there: an answer of its own says so, whatever it was; a gateway's complaint, like silence, does not.
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

extension ResponseHead {
    /// When the origin wants to be asked again, in seconds or as a date (RFC 9110, 10.2.3), which counts from its own Date; nil
    /// when it does not say.
    var retryAfter: Duration? {
        guard let text = headers[.retryAfter] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .seconds(Int(text) ?? .max) }
        // A century of which only the difference of the two dates sees anything.
        let century = Date(timeIntervalSinceReferenceDate: 0)
        guard let now = headers[.date].flatMap({ HTTPDate.parse($0, now: century) }),
            let date = HTTPDate.parse(text, now: century)
        else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}
