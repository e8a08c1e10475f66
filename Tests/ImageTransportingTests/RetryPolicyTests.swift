import HTTPTypes
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

    @Test("a random number outside of 0 to 1 is clamped", arguments: [(-1.0, Duration.zero), (2, .seconds(1))])
    func jitter(_ number: Double, delay: Duration) {
        let policy = TransferRetryPolicy(baseDelay: .seconds(1)) { number }
        #expect(policy.delay(beforeRetry: 0) == delay)
    }

    @Test(
        "Retry-After is a number of seconds, or a date after that of the response",
        arguments: [
            ("120", .seconds(120)), ("99999999999999999999", .seconds(Int.max)), ("-5", nil), ("+5", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)), ("Sun, 06 Nov 1994 08:49:27 GMT", .zero), ("soon", nil),
        ] as [(String, Duration?)])
    func retryAfter(_ text: String, delay: Duration?) throws {
        var head = ResponseHead(
            status: .serviceUnavailable, headers: [.retryAfter: text, .date: "Sun, 06 Nov 1994 08:49:37 GMT"],
            url: try .of("http://a/"))
        #expect(head.retryAfter == delay)
        head.headers[.date] = nil
        #expect(head.retryAfter == (text.contains("GMT") ? nil : delay))
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
