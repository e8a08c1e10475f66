import ImageCore
import ImageTransporting
import Testing

@Suite("Retry policy")
struct RetryPolicyTests {
    @Test("bounds double from the base up to the maximum, and the delay is a random fraction of the bound")
    func delays() {
        let policy = TransferRetryPolicy(maxRetries: 5, baseDelay: .seconds(1), maxDelay: .seconds(6)) { 0.5 }
        #expect(
            (0..<6).map { policy.delay(beforeRetry: $0) } == [
                .milliseconds(500), .seconds(1), .seconds(2), .seconds(3), .seconds(3), nil,
            ])
    }

    @Test("no retry starts after the maximum total time or after a longer Retry-After than allowed")
    func bounds() {
        let policy = TransferRetryPolicy(
            maxRetries: 5, baseDelay: .seconds(1), maxRetryAfter: .seconds(20), maxTotalTime: .seconds(60)
        ) { 1 }
        #expect(policy.delay(beforeRetry: 0, elapsed: .seconds(59)) == .seconds(1))
        #expect(policy.delay(beforeRetry: 0, elapsed: .milliseconds(59_001)) == nil)
        #expect(policy.delay(beforeRetry: 1, retryAfter: .seconds(20)) == .seconds(22))
        #expect(policy.delay(beforeRetry: 1, retryAfter: .seconds(21)) == nil)
    }

    @Test("a policy with 0 retries never retries")
    func none() {
        #expect(TransferRetryPolicy(maxRetries: 0) { 1 }.delay(beforeRetry: 0) == nil)
    }

    @Test(
        "only transient errors are retried",
        arguments: [
            (.network(.connectionRefused, ""), true), (.network(.timedOut, ""), true),
            (.network(.truncatedBody, ""), true),
            (.network(.connectionLost, ""), true), (.network(.unresolvedHost, ""), true), (.network(.tls, ""), false),
            (.network(.redirect, ""), false), (.network(.malformedResponse, ""), false), (.httpStatus(503), true),
            (.httpStatus(429), true), (.httpStatus(500), true), (.httpStatus(501), false), (.httpStatus(403), false),
            (.notFound, false), (.cancelled, false), (.tooLarge(byteLimit: 1), false),
            (.decoding(.unknownFormat), false),
        ] as [(ImageError, Bool)])
    func transientErrors(error: ImageError, isTransient: Bool) {
        #expect(error.isTransient == isTransient)
    }
}
