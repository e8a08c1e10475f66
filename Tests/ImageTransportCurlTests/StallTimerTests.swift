import Testing

@testable import ImageTransportCurl

@Suite("The timer for stalls")
struct StallTimerTests {
    @Test("silence is over the limit only after the limit, counted from the first question")
    func limit() {
        var timer = StallTimer(limit: 100)
        #expect(answers(&timer, [(true, 1000), (true, 1099), (true, 1100)]) == [false, false, true])
    }

    @Test("a byte starts it anew")
    func byte() {
        var timer = StallTimer(limit: 100)
        #expect(answers(&timer, [(true, 0), (true, 90)]) == [false, false])
        timer.heardSomething()
        #expect(answers(&timer, [(true, 110), (true, 209), (true, 210)]) == [false, false, true])
    }

    @Test("time in which nobody waits does not count")
    func unawaited() {
        var timer = StallTimer(limit: 100)
        #expect(answers(&timer, [(true, 0), (false, 50), (true, 150), (true, 249)]) == [false, false, false, false])
        #expect(answers(&timer, [(true, 250)]) == [true])
    }

    @Test(
        "questions are due four times within the limit, once a second at least",
        arguments: [(1, 1), (100, 25), (30_000, 1000)])
    func granularity(_ limit: Int64, _ expected: Int64) {
        #expect(StallTimer(limit: limit).granularity == expected)
    }

    private func answers(_ timer: inout StallTimer, _ questions: [(Bool, Int64)]) -> [Bool] {
        var answers: [Bool] = []
        for (isWaitedFor, now) in questions { answers.append(timer.isOver(isWaitedFor: isWaitedFor, now: now)) }
        return answers
    }
}
