/// When a failed transfer is retried: exponential back-off with full jitter.
///
/// Retried are failed, broken and timed-out connections, and the statuses 408, 425, 429, 500, 502, 503 and 504.
public struct RetryPolicy: Sendable {
    /// How often a transfer is retried; 0 for never.
    public var retries: Int
    /// The upper bound of the first wait. It doubles with each retry.
    public var baseDelay: Duration
    /// The upper bound of each wait, without that of `Retry-After`.
    public var maxDelay: Duration
    /// The longest `Retry-After` that is waited for. With a longer one, the transfer fails.
    public var maxRetryAfter: Duration
    /// The longest time from the first attempt to the start of a retry.
    public var maxTotal: Duration
    /// How many retries all transfers have together, except those with a `RetryBudget` of their own. Each costs one, and ten
    /// transfers that succeed bring one back.
    public var sharedBudget: Int
    /// After how many failures in a row a host is not asked for a while.
    public var breakerThreshold: Int
    /// How long a host is not asked. Then one transfer decides.
    public var breakerPause: Duration
    /// Returns a random number from 0 up to, but not including, 1: the share of the upper bound to wait.
    public var jitter: @Sendable () -> Double

    public init(
        retries: Int, baseDelay: Duration = .milliseconds(500), maxDelay: Duration = .seconds(30),
        maxRetryAfter: Duration = .seconds(30), maxTotal: Duration = .seconds(120), sharedBudget: Int = 20,
        breakerThreshold: Int = 10, breakerPause: Duration = .seconds(5), jitter: @escaping @Sendable () -> Double
    ) {
        self.retries = retries
        self.baseDelay = baseDelay
        self.maxDelay = maxDelay
        self.maxRetryAfter = maxRetryAfter
        self.maxTotal = maxTotal
        self.sharedBudget = sharedBudget
        self.breakerThreshold = breakerThreshold
        self.breakerPause = breakerPause
        self.jitter = jitter
    }

    /// The wait before a retry; nil if there is none.
    ///
    /// - Parameters:
    ///   - retry: Its number, from 0.
    ///   - retryAfter: The wait that the origin asked for. The wait is longer by the policy's own, so that clients do not all
    ///     return at once.
    ///   - elapsed: The time since the first attempt began.
    public func delay(beforeRetry retry: Int, retryAfter: Duration? = nil, elapsed: Duration = .zero) -> Duration? {
        guard retry < retries, retryAfter ?? .zero <= maxRetryAfter else { return nil }
        var bound = baseDelay
        for _ in 0..<retry where bound < maxDelay { bound = bound * 2 }
        let delay = min(bound, maxDelay) * jitter() + (retryAfter ?? .zero)
        return elapsed + delay <= maxTotal ? delay : nil
    }
}
