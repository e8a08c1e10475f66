/// When a failed transfer is tried again, and after what wait: exponential back-off with full jitter.
///
/// Tried again: what may heal by itself — a connection that failed, broke or timed out, and the statuses 408, 425, 429,
/// 500, 502, 503 and 504. Nothing else.
public struct RetryPolicy: Sendable {
    /// How often a transfer is tried again after its first failure; 0 never.
    public var retries: Int
    /// The upper bound of the first wait; it doubles with each retry.
    public var baseDelay: Duration
    /// The upper bound of any wait.
    public var maxDelay: Duration
    /// Draws from 0 up to, but not including, 1: the share of the bound that is waited.
    public var jitter: @Sendable () -> Double

    public init(
        retries: Int, baseDelay: Duration = .milliseconds(500), maxDelay: Duration = .seconds(30),
        jitter: @escaping @Sendable () -> Double
    ) {
        self.retries = retries
        self.baseDelay = baseDelay
        self.maxDelay = maxDelay
        self.jitter = jitter
    }

    /// The wait before retry number `retry` (from 0), or nil when there is none.
    func delay(beforeRetry retry: Int) -> Duration? {
        guard retry < retries else { return nil }
        var bound = baseDelay
        for _ in 0..<retry where bound < maxDelay { bound = bound * 2 }
        return min(bound, maxDelay) * jitter()
    }
}
