#if RedisCaching
    import Testing

    @testable import ImageRedisCaching

    @Suite("The circuit breaker")
    struct CircuitBreakerTests {
        private var breaker = CircuitBreaker(firstDelay: .seconds(1), maxDelay: .seconds(5))

        @Test("sends commands until one fails, and then none")
        mutating func opens() {
            #expect(breaker.admit(at: .zero) == .send)
            breaker.commandFailed(at: .seconds(10))
            #expect(!breaker.isClosed)
            #expect(breaker.admit(at: .seconds(10.9)) == .reject)
        }

        @Test("sends one probe at a time after the delay, and rejects all commands")
        mutating func probes() {
            breaker.commandFailed(at: .zero)
            #expect(breaker.admit(at: .seconds(1)) == .rejectAndProbe)
            #expect(breaker.admit(at: .seconds(9)) == .reject)
            breaker.probeEnded(isSuccess: true, at: .seconds(9))
            #expect(breaker.admit(at: .seconds(9)) == .send)
        }

        @Test("doubles the delay with each failed probe, up to the limit")
        mutating func grows() {
            breaker.commandFailed(at: .zero)
            var now = Duration.zero
            for delay in [1, 2, 4, 5, 5] {
                #expect(breaker.admit(at: now + .seconds(delay) - .milliseconds(1)) == .reject)
                now += .seconds(delay)
                #expect(breaker.admit(at: now) == .rejectAndProbe)
                breaker.probeEnded(isSuccess: false, at: now)
            }
        }

        @Test("keeps the delay if only probes succeed, and resets it when a command succeeds")
        mutating func resets() {
            breaker.commandFailed(at: .zero)
            #expect(breaker.admit(at: .seconds(1)) == .rejectAndProbe)
            breaker.probeEnded(isSuccess: true, at: .seconds(1))
            breaker.commandFailed(at: .seconds(1))
            #expect(breaker.admit(at: .seconds(2)) == .reject)
            #expect(breaker.admit(at: .seconds(3)) == .rejectAndProbe)
            breaker.probeEnded(isSuccess: true, at: .seconds(3))
            breaker.commandSucceeded()
            breaker.commandFailed(at: .seconds(3))
            #expect(breaker.admit(at: .seconds(4)) == .rejectAndProbe)
        }

        @Test("ignores the failures of commands that were sent before it opened")
        mutating func ignoresLateFailures() {
            breaker.commandFailed(at: .zero)
            breaker.commandFailed(at: .seconds(0.9))
            #expect(breaker.admit(at: .seconds(1)) == .rejectAndProbe)
            breaker.commandFailed(at: .seconds(1))
            breaker.probeEnded(isSuccess: true, at: .seconds(1))
            #expect(breaker.isClosed)
        }
    }
#endif
