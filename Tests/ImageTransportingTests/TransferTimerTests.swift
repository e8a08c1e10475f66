import Testing

@testable import ImageTransporting

@Suite("Minimum rate of a transfer")
struct TransferTimerTests {
    /// Returns the second in which a transfer expires that receives these numbers of bytes in the seconds from 1 on, and
    /// then the last number for ever; nil if it lasts ten minutes.
    private func expiry(
        _ bytes: [Int], minimum: Int = 64, isWaiting: (Int) -> Bool = { _ in true }
    ) -> Int? {
        var timer = TransferTimer(stallLimit: 30_000, deadline: .max, minBytesPerSecond: minimum)
        return (1...600).first { second in
            let count = second <= bytes.count ? bytes[second - 1] : bytes.last ?? 0
            if count > 0 { timer.bytesArrived(count) }
            return timer.expiry(isWaiting: isWaiting(second), now: Int64(second) * 1_000) != nil
        }
    }

    @Test("a body that drips ends after the stall timeout, however often a byte arrives")
    func drip() {
        #expect(expiry([10]) == 31)
        #expect(expiry([61]) == 31)
        #expect(expiry([1] + Array(repeating: 0, count: 20) + [1]) == 31)
    }

    @Test("a steady body over GPRS passes, alone or as one of twelve, and in segments of TCP")
    func gprs() {
        #expect(expiry([1_000]) == nil)
        #expect(expiry([1_000 / 12]) == nil)
        let segments = (1...600).map { $0 % 20 == 0 ? 1_448 : 0 }
        #expect(expiry(segments) == nil)
    }

    @Test("time before the first byte and time in which the consumer doesn't wait don't count")
    func otherTime() {
        #expect(expiry(Array(repeating: 0, count: 28) + [1_000]) == nil)
        #expect(expiry([1], isWaiting: { _ in false }) == nil)
        #expect(expiry([1], isWaiting: { $0 % 4 == 0 }) == nil)
    }

    @Test("without a minimum, a byte now and then is enough")
    func off() { #expect(expiry([1], minimum: 0) == nil) }

    @Test("a transfer that becomes slow ends")
    func becomesSlow() { #expect(expiry(Array(repeating: 10_000, count: 100) + [1]) != nil) }

    @Test("a head and what came before it don't count for the rate")
    func head() {
        var timer = TransferTimer(stallLimit: 30_000, deadline: .max, minBytesPerSecond: 64)
        let expiry = (1...120).compactMap { second -> TransferTimer.Expiry? in
            if second == 29 { timer.headArrived() }
            if second < 30 ? second % 20 == 1 : second > 31 { timer.bytesArrived(second < 30 ? 10 : 1_000) }
            return timer.expiry(isWaiting: true, now: Int64(second) * 1_000)
        }
        #expect(expiry.isEmpty)
    }

    @Test("a transfer stalls after the limit in which the consumer waits, and ends at its deadline")
    func limits() {
        var timer = TransferTimer(stallLimit: 4_000, deadline: 10_000)
        #expect([0, 9_500].map { timer.nextCheck(after: $0) } == [1_000, 10_000])
        #expect(TransferTimer(stallLimit: 400, deadline: .max).nextCheck(after: 0) == 100)
        #expect(TransferTimer(stallLimit: 1, deadline: .max).nextCheck(after: 0) == 1)
        let checks: [(isWaiting: Bool, now: Int64)] = [
            (true, 0), (true, 3_999), (false, 4_000), (true, 4_100), (true, 8_099), (true, 8_100), (true, 10_000),
        ]
        #expect(
            checks.map { timer.expiry(isWaiting: $0.isWaiting, now: $0.now) } == [
                nil, nil, nil, nil, nil, .stalled, .overdue,
            ])
        let times: [Duration] = [.zero, .microseconds(1_999), .seconds(2), .seconds(1 << 40)]
        #expect(times.map(\.wholeMilliseconds) == [1, 1, 2_000, Int64(Int32.max)])
    }

    @Test("a request and the options of a loader have the same minimum, and a total timeout can be set")
    func options() throws {
        let options = TransferOptions(totalTimeout: .seconds(7))
        #expect(options.minBytesPerSecond == 64 && options.totalTimeout == .seconds(7))
        #expect(TransportRequest(url: try .of("http://a/")).minBytesPerSecond == 64)
    }

    @Test("extreme minimums are limited", arguments: [Int.min, -1, Int.max])
    func extremes(_ minimum: Int) { #expect(expiry([1_000], minimum: minimum) == (minimum > 0 ? 31 : nil)) }
}
