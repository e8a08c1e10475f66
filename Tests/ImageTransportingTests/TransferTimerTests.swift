import ImageTransporting
import Testing

@Suite("Transfer timer")
struct TransferTimerTests {
    @Test("a transfer stalls when the limit has passed since the first check")
    func limit() {
        var timer = TransferTimer(stallLimit: 100, deadline: .max)
        #expect(answers(&timer, [(true, 1000), (true, 1099), (true, 1100)]) == [nil, nil, .stalled])
    }

    @Test("received bytes restart the timer")
    func byte() {
        var timer = TransferTimer(stallLimit: 100, deadline: .max)
        #expect(answers(&timer, [(true, 0), (true, 90)]) == [nil, nil])
        timer.bytesArrived()
        #expect(answers(&timer, [(true, 110), (true, 209), (true, 210)]) == [nil, nil, .stalled])
    }

    @Test("time in which the consumer does not wait does not count")
    func unawaited() {
        var timer = TransferTimer(stallLimit: 100, deadline: .max)
        #expect(answers(&timer, [(true, 0), (false, 50), (true, 150), (true, 249)]) == [nil, nil, nil, nil])
        #expect(answers(&timer, [(true, 250)]) == [.stalled])
    }

    @Test("the deadline applies whether or not bytes arrive and the consumer waits", arguments: [true, false])
    func deadline(_ isWaiting: Bool) {
        var timer = TransferTimer(stallLimit: 100, deadline: 1000)
        timer.bytesArrived()
        #expect(answers(&timer, [(isWaiting, 999), (isWaiting, 1000)]) == [nil, .overdue])
    }

    @Test(
        "checks are due four times within the limit, at least once a second, and at the deadline",
        arguments: [(1, .max, 501), (100, .max, 525), (30_000, .max, 1500), (30_000, 700, 700)]
            as [(Int64, Int64, Int64)])
    func checks(_ limit: Int64, _ deadline: Int64, _ expected: Int64) {
        #expect(TransferTimer(stallLimit: limit, deadline: deadline).nextCheck(after: 500) == expected)
    }

    private func answers(_ timer: inout TransferTimer, _ checks: [(Bool, Int64)]) -> [TransferTimer.Expiry?] {
        var answers: [TransferTimer.Expiry?] = []
        for (isWaiting, now) in checks { answers.append(timer.expiry(isWaiting: isWaiting, now: now)) }
        return answers
    }
}
