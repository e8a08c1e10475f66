import ImageCore

/// Decides which items of a scrolling list to load: the visible ones, and more ahead of them the faster it scrolls.
///
/// Report the visible items, and apply the change that `update` returns:
///
/// ```swift
/// let change = window.update(visible: 40..<52, of: images.count, at: start.duration(to: clock.now))
/// prefetcher.stop(change.cancels.map { requests[$0] })
/// prefetcher.start(change.loads.map { requests[$0] })
/// ```
///
/// - `items` always equals all `loads` minus all `cancels`. No item is loaded or cancelled twice.
/// - Reversing the direction cancels the items on the far side. Moving back by less than `PrefetchOptions.reversalDistance` is
///   not a reversal.
/// - A jump farther than the maximum size of the window resets the velocity to 0 and the direction to forwards.
/// - The same updates return the same changes.
struct PrefetchWindow: Sendable {
    /// The items to load and to cancel after an update.
    struct Change: Hashable, Sendable {
        /// The items to load, in the direction of scrolling.
        var loads: [Int] = []
        /// The items to cancel, in ascending order. May include items that the list no longer has.
        var cancels: [Int] = []
    }

    /// How far ahead to load.
    let options: PrefetchOptions
    /// The items that are loaded or loading: the visible ones, and those ahead.
    private(set) var items = 0..<0
    private var motion = ScrollMotion()

    /// Creates an empty window.
    init(options: PrefetchOptions = PrefetchOptions()) { self.options = options.limited }

    /// The mean velocity in items per second. Negative towards the beginning.
    var velocity: Double { motion.velocity }

    /// Moves the window.
    ///
    /// - Parameters:
    ///   - visible: The visible items. An empty range cancels everything.
    ///   - count: The number of items in the list.
    ///   - time: The time since any fixed moment. It must not decrease.
    /// - Returns: The items to load and to cancel.
    mutating func update(visible: Range<Int>, of count: Int, at time: Duration) -> Change {
        let shown = visible.clamped(to: 0..<max(0, count))
        let visible = shown.lowerBound..<shown.lowerBound + min(shown.count, PrefetchOptions.maximumItems)
        motion.moved(to: visible, at: time, options)
        let before = items
        items = visible.isEmpty ? 0..<0 : window(around: visible, of: count)
        return Change(from: before, to: items, isForwards: motion.isForwards)
    }

    /// Resets the window when the items of the list have changed. Returns the items to cancel.
    mutating func reset() -> [Int] {
        defer { self = PrefetchWindow(options: options) }
        return Array(items)
    }

    /// Returns the window around the visible items.
    ///
    /// The far edge moves back only when the distance shrinks by a third, so that small changes of the velocity don't
    /// cancel and load the same items repeatedly.
    private func window(around visible: Range<Int>, of count: Int) -> Range<Int> {
        let ahead = ahead
        let most = max(ahead, min(options.maxAhead, ahead + ahead / 2))
        func distance(_ present: Int) -> Int {
            present > options.maxAhead ? ahead : min(max(present, ahead), most)
        }
        if motion.isForwards {
            let added = min(distance(items.upperBound - visible.upperBound), count - visible.upperBound)
            return visible.lowerBound..<visible.upperBound + added
        }
        let added = min(distance(visible.lowerBound - items.lowerBound), visible.lowerBound)
        return visible.lowerBound - added..<visible.upperBound
    }

    private var ahead: Int {
        let speed = motion.isForwards ? velocity : -velocity
        let distance = (max(0, speed) * (options.lead / .seconds(1))).rounded(.up)
        return max(options.minAhead, Int(min(distance, Double(options.maxAhead))))
    }
}

extension PrefetchWindow.Change {
    fileprivate init(from before: Range<Int>, to after: Range<Int>, isForwards: Bool) {
        let loads = after.filter { !before.contains($0) }
        self.init(
            loads: isForwards ? loads : loads.reversed(), cancels: before.filter { !after.contains($0) })
    }
}

/// The position, direction and velocity of a scrolling list.
private struct ScrollMotion: Sendable {
    private(set) var velocity = 0.0
    private(set) var isForwards = true
    fileprivate var last: (position: Double, time: Duration)?
    /// The farthest position in the current direction.
    fileprivate var furthest = 0.0

    mutating func moved(to visible: Range<Int>, at time: Duration, _ options: PrefetchOptions) {
        let position = Double(visible.lowerBound) + Double(visible.count) / 2
        let reach = Double(visible.count + options.maxAhead)
        guard let last, abs(position - last.position) <= reach else { return reset(at: position, time) }
        let reverses = reverses(at: position, options.reversalDistance)
        let seconds = (time - last.time) / .seconds(1)
        guard seconds > 0 else { return }  // The next update includes this movement.
        let present = (position - last.position) / seconds
        let weight = reverses ? 1 : seconds / (seconds + options.smoothing / .seconds(1))
        velocity += weight * (present - velocity)
        self.last = (position, time)
    }

    private mutating func reset(at position: Double, _ time: Duration) {
        self = ScrollMotion(last: (position, time), furthest: position)
    }

    private mutating func reverses(at position: Double, _ distance: Double) -> Bool {
        let back = isForwards ? furthest - position : position - furthest
        if back > 0, back < distance { return false }
        furthest = position
        if back <= 0 { return false }
        isForwards.toggle()
        return true
    }
}
