/// When a failed transfer is tried again, and after what wait: exponential back-off with full jitter.
///
/// Tried again: what may heal by itself — a connection that failed, broke or timed out, and the statuses 408, 425, 429,
/// 500, 502, 503 and 504. Nothing else; and every transfer of a loader is a GET, which may be sent twice.
public struct RetryPolicy: Sendable {
    /// How often a transfer is tried again after its first failure; 0 never.
    public var retries: Int
    /// The upper bound of the first wait; it doubles with each retry.
    public var baseDelay: Duration
    /// The upper bound of any wait of our own.
    public var maxDelay: Duration
    /// The longest `Retry-After` that is waited for. Whoever names a longer one is not asked again.
    public var maxRetryAfter: Duration
    /// No retry begins later than this after the first attempt.
    public var maxTotal: Duration
    /// How many retries all transfers of a loader have together, but for those that bring a `RetryBudget`, so that an outage does not multiply what is asked of
    /// the origins. Each costs one of these, and ten transfers that succeed bring one back.
    public var sharedBudget: Int
    /// How many failures of a host in a row make it be left alone; see `CircuitBreaker`.
    public var breakerThreshold: Int
    /// How long it is left alone before one transfer may try.
    public var breakerPause: Duration
    /// Draws from 0 up to, but not including, 1: the share of the bound that is waited.
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

    /// The wait before retry number `retry` (from 0), or nil when there is none.
    ///
    /// - Parameters:
    ///   - retryAfter: what the origin asked for: the wait is longer than that by our own, so that not all come back at once.
    ///   - elapsed: the time since the first attempt began.
    func delay(beforeRetry retry: Int, retryAfter: Duration? = nil, elapsed: Duration = .zero) -> Duration? {
        guard retry < retries, retryAfter ?? .zero <= maxRetryAfter else { return nil }
        var bound = baseDelay
        for _ in 0..<retry where bound < maxDelay { bound = bound * 2 }
        let delay = min(bound, maxDelay) * jitter() + (retryAfter ?? .zero)
        return elapsed + delay <= maxTotal ? delay : nil
    }
}
