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

    @Test("extreme minimums are limited", arguments: [Int.min, -1, Int.max])
    func extremes(_ minimum: Int) { #expect(expiry([1_000], minimum: minimum) == (minimum > 0 ? 31 : nil)) }
}
