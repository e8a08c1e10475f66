import ImageCore
import ImageTransporting

/// Why an attempt failed.
struct AttemptFailure: Error {
    var error: ImageError
    /// The wait that the origin requested, if any.
    var retryAfter: Duration?
    /// Whether conditions did not allow it. Then it starts again when they do.
    var isInterrupted = false
    /// When the attempt started. Nil if it did not.
    var start: Duration?

    static let interrupted = AttemptFailure(error: .cancelled, isInterrupted: true)
}

/// The retries of a download. They start anew when a lost network returns.
struct Retries {
    /// When the first attempt started, after it had waited for conditions and for a slot.
    var start: Duration?
    var count = 0
    /// Whether an attempt has failed, before the network was lost too.
    var hasFailed = false
}

/// Decides for all downloads of a loader whether and when a failed attempt is retried.
final class RetryController: Sendable {
    private let policy: RetryPolicy
    /// The budget of requests without their own.
    private let budget: RetryBudget
    /// The time since this controller was created.
    let uptime: @Sendable () -> Duration

    init(_ policy: RetryPolicy, clock: any Clock<Duration>) {
        self.policy = policy
        budget = RetryBudget(capacity: policy.sharedBudget)
        uptime = stopwatch(clock)
    }

    /// - Parameter budget: The request's own budget, if it has one.
    func succeeded(_ budget: RetryBudget?) { (budget ?? self.budget).succeeded() }

    /// Takes a retry from the budget and returns the delay before it. Returns nil if there is to be none.
    func delay(after failure: AttemptFailure, _ retries: Retries, _ budget: RetryBudget?) -> Duration? {
        let elapsed = retries.start.map { uptime() - $0 } ?? .zero
        guard failure.error.isTransient,
            let delay = policy.delay(beforeRetry: retries.count, retryAfter: failure.retryAfter, elapsed: elapsed)
        else { return nil }
        return (budget ?? self.budget).withdraw() ? delay : nil
    }
}
