import ImageTransporting
import Testing

@Suite("The timer of a transfer")
struct TransferTimerTests {
    @Test("silence is over the limit only after the limit, counted from the first question")
    func limit() {
        var timer = TransferTimer(stallLimit: 100, deadline: .max)
        #expect(answers(&timer, [(true, 1000), (true, 1099), (true, 1100)]) == [nil, nil, .stalled])
    }

    @Test("a byte starts it anew")
    func byte() {
        var timer = TransferTimer(stallLimit: 100, deadline: .max)
        #expect(answers(&timer, [(true, 0), (true, 90)]) == [nil, nil])
        timer.heardSomething()
        #expect(answers(&timer, [(true, 110), (true, 209), (true, 210)]) == [nil, nil, .stalled])
    }

    @Test("time in which nobody waits does not count")
    func unawaited() {
        var timer = TransferTimer(stallLimit: 100, deadline: .max)
        #expect(answers(&timer, [(true, 0), (false, 50), (true, 150), (true, 249)]) == [nil, nil, nil, nil])
        #expect(answers(&timer, [(true, 250)]) == [.stalled])
    }

    @Test("the deadline counts however much comes, and whether anybody waits or not", arguments: [true, false])
    func deadline(_ isWaitedFor: Bool) {
        var timer = TransferTimer(stallLimit: 100, deadline: 1000)
        timer.heardSomething()
        #expect(answers(&timer, [(isWaitedFor, 999), (isWaitedFor, 1000)]) == [nil, .overdue])
    }

    @Test(
        "questions are due four times within the limit, once a second at least, and at the deadline",
        arguments: [(1, .max, 501), (100, .max, 525), (30_000, .max, 1500), (30_000, 700, 700)]
            as [(Int64, Int64, Int64)])
    func questions(_ limit: Int64, _ deadline: Int64, _ expected: Int64) {
        #expect(TransferTimer(stallLimit: limit, deadline: deadline).nextQuestion(after: 500) == expected)
    }

    private func answers(_ timer: inout TransferTimer, _ questions: [(Bool, Int64)]) -> [TransferTimer.Expiry?] {
        var answers: [TransferTimer.Expiry?] = []
        for (isWaitedFor, now) in questions { answers.append(timer.expiry(isWaitedFor: isWaitedFor, now: now)) }
        return answers
    }
}
