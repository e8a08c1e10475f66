import ImageCore
import Testing

@Suite("CircuitBreaker")
struct CircuitBreakerTests {
    private var breaker = CircuitBreaker(threshold: 3, pause: .seconds(10))

    /// Returns whether a request at this second is admitted. If so, it ends with the given verdict.
    private mutating func request(_ second: Int, _ verdict: CircuitBreaker.Verdict) -> Bool {
        let admission = breaker.admit(now: .seconds(second))
        let isAdmitted = admission != .refused
        if isAdmitted { breaker.ended(verdict, isProbe: admission == .probe, now: .seconds(second)) }
        return isAdmitted
    }

    @Test("consecutive failures open the breaker for its duration")
    mutating func opens() {
        let admitted = [request(0, .down), request(1, .down), request(2, .down), request(3, .up), request(11, .up)]
        #expect(admitted == [true, true, true, false, false])
        #expect([11, 12].map { breaker.refuses(now: .seconds($0)) } == [true, false])
    }

    @Test("a success resets the count, and an inconclusive result doesn't change it")
    mutating func closedAgain() {
        for second in 0..<20 {
            let verdicts: [CircuitBreaker.Verdict] = [.down, .down, .unknown, .up]
            let isAdmitted = request(second, verdicts[second % 4])
            #expect(isAdmitted)
        }
    }

    @Test("after the pause, one request is admitted, and no other until it is answered")
    mutating func halfOpen() {
        for second in 0..<3 { _ = request(second, .down) }
        let first = breaker.admit(now: .seconds(12))
        let other = breaker.admit(now: .seconds(12))
        #expect(first == .probe && other == .refused && breaker.refuses(now: .seconds(12)))
        // Older requests that fail or are cancelled decide nothing.
        breaker.ended(.unknown, isProbe: false, now: .seconds(12))
        breaker.ended(.down, isProbe: false, now: .seconds(12))
        let third = breaker.admit(now: .seconds(12))
        #expect(third == .refused)
        breaker.probeAnswered()
        let fourth = breaker.admit(now: .seconds(12))
        #expect(fourth == .admitted)
        breaker.ended(.up, isProbe: true, now: .seconds(13))
        #expect(breaker.isPristine)
    }

    @Test("if that request fails, before or after its answer, the breaker opens again", arguments: [true, false])
    mutating func failedProbe(_ isAnswered: Bool) {
        for second in 0..<3 { _ = request(second, .down) }
        let first = breaker.admit(now: .seconds(12))
        #expect(first == .probe)
        if isAnswered { breaker.probeAnswered() }
        breaker.ended(.down, isProbe: true, now: .seconds(12))
        let admitted = [request(21, .up), request(22, .up)]
        #expect(admitted == [false, true])
    }

    @Test("if that request is inconclusive, the next one is admitted at once")
    mutating func inconclusiveProbe() {
        for second in 0..<3 { _ = request(second, .down) }
        let admitted = [request(12, .unknown), request(12, .up)]
        #expect(admitted == [true, true])
        #expect(breaker.isPristine)
    }

    @Test("with a longest pause, pauses double until work other than a probe succeeds")
    mutating func growingPauses() {
        breaker = CircuitBreaker(pause: .seconds(1), maxPause: .seconds(5))
        func isReopened(at second: Int, _ breaker: inout CircuitBreaker) -> Bool {
            let isEarly = breaker.admit(now: .seconds(second) - .milliseconds(1)) != .refused
            return !isEarly && breaker.admit(now: .seconds(second)) == .probe
        }
        var second = 0
        breaker.ended(.down, isProbe: false, now: .zero)
        for pause in [1, 2, 4, 5, 5] {
            second += pause
            let isReopened = isReopened(at: second, &breaker)
            #expect(isReopened)
            breaker.ended(.down, isProbe: true, now: .seconds(second))
        }
        for (isProbe, pause) in [(true, 5), (false, 1)] {
            breaker.ended(.up, isProbe: isProbe, now: .seconds(second))
            breaker.ended(.down, isProbe: false, now: .seconds(second))
            second += pause
            let isReopened = isReopened(at: second, &breaker)
            #expect(isReopened)
        }
    }

    @Test("extreme limits don't overflow", arguments: [Int.min, -1, 0, 1, .max])
    func extremes(_ number: Int) {
        let pauses: [Duration] = [.seconds(number), Duration(attoseconds: .max), Duration(attoseconds: .min)]
        for pause in pauses {
            var breaker = CircuitBreaker(threshold: number, pause: pause, maxPause: .seconds(number))
            for _ in 0..<3 {
                let admission = breaker.admit(now: .seconds(1))
                breaker.probeAnswered()
                breaker.ended(.down, isProbe: admission == .probe, now: .seconds(1))
            }
        }
    }
}
