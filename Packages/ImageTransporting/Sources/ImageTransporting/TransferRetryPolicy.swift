import HTTPTypes
import ImageCore

/// Defines when failed transfers are retried: exponential backoff with full jitter.
///
/// Failures that are `ImageError.isTransient` are retried. Negative values count as 0, and durations are limited to 100
/// years.
public struct TransferRetryPolicy: Sendable {
    /// The maximum number of retries of a transfer. 0 disables retries.
    public var maxRetries: Int
    /// The upper bound of the first delay. It doubles with each retry.
    public var baseDelay: Duration
    /// The upper bound of each delay, not including `Retry-After`.
    public var maxDelay: Duration
    /// The maximum `Retry-After` to wait for. If the server requests more, the transfer fails.
    public var maxRetryAfter: Duration
    /// The maximum time from the first attempt to the start of a retry.
    public var maxTotalTime: Duration
    /// The number of retries that all downloads of a loader share. Ten successful downloads restore one retry.
    public var maxSharedRetries: Int
    /// Returns a random number from 0 up to, but not including, 1. The delay is this fraction of the upper bound.
    public var jitter: @Sendable () -> Double

    /// Creates a policy. See the properties for the meaning of the parameters.
    public init(
        maxRetries: Int = 2, baseDelay: Duration = .milliseconds(500), maxDelay: Duration = .seconds(30),
        maxRetryAfter: Duration = .seconds(30), maxTotalTime: Duration = .seconds(120), maxSharedRetries: Int = 20,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.maxRetries = maxRetries
        self.baseDelay = baseDelay
        self.maxDelay = maxDelay
        self.maxRetryAfter = maxRetryAfter
        self.maxTotalTime = maxTotalTime
        self.maxSharedRetries = maxSharedRetries
        self.jitter = jitter
    }

    /// Returns the delay before a retry, or nil if the transfer isn't retried.
    ///
    /// - Parameters:
    ///   - retry: The number of the retry, from 0.
    ///   - retryAfter: The delay that the server requested. The policy's delay is added to it.
    ///   - elapsed: The time since the start of the first attempt.
    package func delay(beforeRetry retry: Int, retryAfter: Duration? = nil, elapsed: Duration = .zero) -> Duration? {
        let retryAfter = (retryAfter ?? .zero).limited
        guard retry < maxRetries, retryAfter <= maxRetryAfter else { return nil }
        let maxDelay = maxDelay.limited
        var bound = baseDelay.limited
        // After 62 doublings, a nanosecond is more than 100 years.
        for _ in 0..<min(max(0, retry), 62) where bound < maxDelay { bound = bound * 2 }
        let delay = min(bound, maxDelay) * min(1, max(0, jitter())) + retryAfter
        return elapsed.limited + delay <= maxTotalTime ? delay : nil
    }
}

extension ResponseHead {
    /// The delay that the Retry-After field requests (RFC 9110, 10.2.3). A date is compared with the Date field. `nil`
    /// if there is no valid field.
    package var retryAfter: Duration? {
        guard let text = headers[.retryAfter] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .seconds(Int(text) ?? .max) }
        // Any reference date works, because only the difference of the two dates matters.
        let century = Date(timeIntervalSinceReferenceDate: 0)
        guard let now = headers[.date].flatMap({ HTTPDate.parse($0, now: century) }),
            let date = HTTPDate.parse(text, now: century)
        else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}
