import ImageCore
import Testing

@Suite("When a preview is due")
struct PreviewThrottleTests {
    private typealias Shown = (PreviewExtent, Duration)

    private func isDue(_ passes: Int, _ rows: Int, at time: Int = 0, after last: Shown? = nil) -> Bool {
        PreviewThrottle().isDue(
            PreviewExtent(passes: passes, rows: rows), of: 80, at: .milliseconds(time), after: last)
    }

    @Test("the first one needs an eighth of the rows, or a row of the second pass")
    func first() {
        #expect([9, 10].map { isDue(1, $0) } == [false, true])
        #expect([0, 1].map { isDue(2, $0) } == [false, true])
    }

    @Test("the next one needs 200 ms, and another eighth of the rows or another pass")
    func next() {
        let last: Shown = (PreviewExtent(passes: 1, rows: 20), .milliseconds(100))
        #expect([299, 300].map { isDue(1, 30, at: $0, after: last) } == [false, true])
        #expect([(1, 29), (2, 20)].map { isDue($0, $1, at: 300, after: last) } == [false, true])
        #expect(!PreviewThrottle.unlimited.isDue(last.0, of: 80, at: .seconds(9), after: last), "nothing is new")
    }
}
