import ImageTesting
import Testing

@testable import ImagePresenting

@Suite("Prefetch window")
struct PrefetchWindowTests {
    private let options = PrefetchOptions(
        lead: .seconds(1), minAhead: 3, maxAhead: 20, reversalDistance: 2, smoothing: .milliseconds(100))

    /// Creates a window whose visible items moved every 0.1 seconds.
    private func window(_ topmost: [Int], of count: Int = 100) -> (window: PrefetchWindow, last: PrefetchWindow.Change)
    {
        var window = PrefetchWindow(options: options)
        var last = PrefetchWindow.Change()
        for (number, row) in topmost.enumerated() {
            last = window.update(visible: row..<row + 5, of: count, at: .milliseconds(100 * number))
        }
        return (window, last)
    }

    @Test("at rest, contains the visible items and the minimum ahead")
    func atRest() {
        let (window, change) = window([10])
        #expect(change == PrefetchWindow.Change(loads: Array(10..<18), cancels: []))
        #expect(window.items == 10..<18)
        #expect(window.velocity == 0)
    }

    @Test("loads no item twice, and cancels items that scrolled out")
    func oneStep() {
        let (window, change) = window([10, 10, 11])
        #expect(window.velocity == 5)  // half of one item per 0.1 s
        #expect(window.items == 11..<21)
        #expect(change == PrefetchWindow.Change(loads: Array(18..<21), cancels: [10]))
    }

    @Test("looks ahead by velocity and lead time in both directions, up to the maximum")
    func velocity() {
        let forwards = window(Array(0...40)).window
        #expect(abs(forwards.velocity - 10) < 0.01)
        #expect(forwards.items == 40..<55)
        let backwards = window((0...40).map { 80 - $0 }).window
        #expect(abs(backwards.velocity + 10) < 0.01)
        #expect(backwards.items == 30..<45)
        #expect(window((0...10).map { 4 * $0 }).window.items == 40..<65)
    }

    @Test("loads items in the direction of scrolling")
    func order() {
        let (_, change) = window([50, 48])
        #expect(change.loads == change.loads.sorted(by: >))
        #expect(change.cancels == [53, 54, 55, 56, 57])
    }

    @Test("a reversal cancels the far side immediately, and resets the mean velocity")
    func reversal() {
        let (window, change) = window(Array(0...20) + [18])
        #expect(window.velocity == -20)
        #expect(window.items == 0..<23)
        #expect(change.cancels == Array(23..<35))
        #expect(change.loads == Array((0..<20).reversed()))
    }

    @Test("only moving back by the reversal distance is a reversal, even in small steps")
    func reversalDistance() {
        #expect(window([10, 20, 30, 29]).window.items.lowerBound == 29)
        #expect(window([10, 20, 30, 29]).window.items.upperBound > 34)
        #expect(window([10, 20, 30, 29, 28]).window.items.upperBound == 33)
    }

    @Test("a movement back that is no reversal doesn't look farther ahead")
    func movementBack() {
        let (window, _) = window([10, 10, 9])
        #expect(window.velocity == -5 && window.items == 9..<18)
    }

    @Test("small changes of the velocity cancel nothing, and slowing down does")
    func steadiness() {
        let (fast, _) = window(Array(0...40))
        var window = fast
        #expect(fast.items.upperBound == 55)
        let slower = window.update(visible: 40..<45, of: 100, at: .milliseconds(4_020))
        #expect(window.velocity < 9 && slower.cancels.isEmpty)
        let resting = window.update(visible: 40..<45, of: 100, at: .milliseconds(6_000))
        #expect(window.items == 40..<49)
        #expect(resting == PrefetchWindow.Change(loads: [], cancels: Array(49..<55)))
    }

    @Test("a jump resets the velocity and looks forwards")
    func jump() {
        let (before, _) = window([90, 80, 70])
        #expect(before.velocity < -90)
        #expect(before.items == 50..<75)
        let (window, change) = window([90, 80, 70, 10])
        #expect(window.velocity == 0)
        #expect(window.items == 10..<18)
        #expect(change.loads == Array(10..<18))
        #expect(change.cancels == Array(50..<75))
    }

    @Test("updates at the same time count as one movement")
    func sameMoment() {
        var window = PrefetchWindow(options: options)
        _ = window.update(visible: 0..<5, of: 100, at: .zero)
        _ = window.update(visible: 1..<6, of: 100, at: .zero)
        #expect(window.velocity == 0)
        _ = window.update(visible: 2..<7, of: 100, at: .milliseconds(100))
        #expect(window.velocity == 10)
    }

    @Test("is limited by the end of the list, and empty if no item is visible")
    func bounds() {
        #expect(window([97]).window.items == 97..<100)
        #expect(window([0], of: 3).window.items == 0..<3)
        #expect(window([0], of: 0).window.items.isEmpty)
        var window = window([10]).window
        #expect(window.update(visible: 10..<15, of: 12, at: .seconds(1)).cancels == Array(12..<18))
        #expect(window.update(visible: 0..<0, of: 12, at: .seconds(2)).cancels == [10, 11])
    }

    @Test("options and visible items are limited")
    func limits() {
        let wide = PrefetchOptions(lead: .seconds(-1), minAhead: -1, maxAhead: .max, smoothing: .seconds(-1))
        var window = PrefetchWindow(options: wide)
        #expect(window.options.minAhead == 0 && window.options.maxAhead == 10_000)
        #expect(window.options.lead == .zero && window.options.smoothing == .zero)
        _ = window.update(visible: 0..<20_000, of: 30_000, at: .zero)
        #expect(window.items == 0..<10_000)
    }

    @Test("reset cancels all items and starts again")
    func reset() {
        var window = window(Array(0...20)).window
        let items = Array(window.items)
        #expect(window.reset() == items)
        #expect(window.items.isEmpty && window.velocity == 0)
        #expect(window.update(visible: 3..<5, of: 100, at: .zero).loads == Array(3..<8))
    }

    @Test(
        "loads minus cancels equal the window, within its maximum size, for random updates", arguments: UInt64(1)...50)
    func property(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        let options = PrefetchOptions(
            lead: .milliseconds(draw(0...2_000)), minAhead: draw(0...5), maxAhead: draw(5...40),
            reversalDistance: Double(draw(1...6)) / 2, smoothing: .milliseconds(draw(1...300)))
        var window = PrefetchWindow(options: options)
        var (loaded, top, count, time) = (Set<Int>(), 0, draw(0...200), Duration.zero)
        for _ in 0..<300 {
            top = draw(0...30) == 0 ? draw(0...220) : max(0, top + draw(-6...9))
            if draw(0...40) == 0 { count = draw(0...200) }
            time += .milliseconds(draw(0...40))
            let visible = top..<top + draw(0...12)
            let change = window.update(visible: visible, of: count, at: time)
            #expect(Set(change.loads).count == change.loads.count && loaded.isDisjoint(with: change.loads))
            #expect(loaded.isSuperset(of: change.cancels) && Set(change.cancels).count == change.cancels.count)
            loaded = loaded.union(change.loads).subtracting(change.cancels)
            #expect(loaded == Set(window.items))
            let seen = visible.clamped(to: 0..<count)
            #expect(window.items.count <= (seen.isEmpty ? 0 : seen.count + options.maxAhead))
            #expect(seen.isEmpty || window.items.clamped(to: seen) == seen)
            #expect(
                seen.isEmpty || window.items.lowerBound == seen.lowerBound || window.items.upperBound == seen.upperBound
            )
        }
    }
}
