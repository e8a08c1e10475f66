import ImageCore
import ImageTransporting
import Synchronization

/// Why an attempt failed. One object, because each function that waits between attempts would hold a copy.
final class AttemptFailure: Error {
    let error: ImageError
    /// Asks the application for an exchange that may succeed.
    let challenge: (@Sendable () async throws -> CacheAnswer.Send?)?
    /// Whether conditions did not allow it. Then it starts again when they do.
    let isInterrupted: Bool
    /// When the attempt started. Nil if it did not.
    let start: Duration?

    init(
        error: ImageError, challenge: (@Sendable () async throws -> CacheAnswer.Send?)? = nil,
        isInterrupted: Bool = false, start: Duration? = nil
    ) {
        self.error = error
        self.challenge = challenge
        self.isInterrupted = isInterrupted
        self.start = start
    }

    static let interrupted = AttemptFailure(error: .cancelled, isInterrupted: true)
}

extension ImageError {
    /// The wait that the server requested, if any.
    fileprivate var retryAfter: Duration? {
        if case .httpStatus(_, let retryAfter) = self { retryAfter } else { nil }
    }
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
///
/// Retries share a budget, as in gRPC's retry throttling (gRFC A6): each retry takes one, and ten successful downloads
/// restore one. If most downloads fail, retries only add load.
final class RetryController: Sendable {
    /// The cost of a retry in tenths, so that all counts are whole numbers.
    private static let retryCost = 10

    private let policy: TransferRetryPolicy
    /// The maximum of `tenths`.
    private let capacity: Int
    private let tenths: Mutex<Int>

    init(_ policy: TransferRetryPolicy) {
        self.policy = policy
        capacity = max(0, min(policy.maxSharedRetries, .max / Self.retryCost)) * Self.retryCost
        tenths = Mutex(capacity)
    }

    /// Records a successful download.
    func succeeded() { tenths.withLock { $0 = min(capacity, $0 + 1) } }

    /// Takes a retry from the budget and returns the delay before it. Returns nil if there is to be none.
    ///
    /// - Parameter elapsed: The time since the start of the first attempt.
    func delay(after failure: AttemptFailure, retry: Int, elapsed: Duration) -> Duration? {
        guard failure.error.isTransient,
            let delay = policy.delay(beforeRetry: retry, retryAfter: failure.error.retryAfter, elapsed: elapsed)
        else { return nil }
        return withdraw() ? delay : nil
    }

    private func withdraw() -> Bool {
        tenths.withLock { tenths in
            guard tenths >= Self.retryCost else { return false }
            tenths -= Self.retryCost
            return true
        }
    }
}
