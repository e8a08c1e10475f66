/// Which items of a scrolled list to load ahead of need: what is visible, and more in the direction of travel the faster it goes.
///
/// A value that uses indices and times only, no view and no loader. The owner of the list reports what is visible, and does what it
/// answers:
///
/// ```swift
/// let change = window.update(visible: 40..<52, of: images.count, at: start.duration(to: clock.now))
/// prefetcher.stop(change.cancels.map { requests[$0] })
/// prefetcher.start(change.loads.map { requests[$0] })
/// ```
///
/// - All loads told, without all cancels told, are `items`: nothing is told twice.
/// - A reversal cancels the far side. Moving back by less than `Rules.turnDistance` is none.
/// - A jump, further than the window reaches at most, tells nothing of velocity, and leads forwards.
/// - The same updates give the same answers.
public struct PrefetchWindow: Sendable {
    /// How far it looks ahead. Distances are in items: rows of a list, cells of a grid.
    public struct Rules: Hashable, Sendable {
        /// How far ahead in time: longer than a load takes.
        public var lead: Duration
        /// The least that is loaded ahead, at rest too. 0 or more.
        public var minimumAhead: Int
        /// The most that is loaded ahead, however fast it goes. Not less than `minimumAhead`.
        public var maximumAhead: Int
        /// How far back it must go to be a reversal. More than 0.
        public var turnDistance: Double
        /// Over what time the velocity is averaged, by an exponential mean. More than 0.
        public var smoothing: Duration

        public init(
            lead: Duration = .milliseconds(500), minimumAhead: Int = 8, maximumAhead: Int = 64,
            turnDistance: Double = 2, smoothing: Duration = .milliseconds(100)
        ) {
            self.lead = lead
            self.minimumAhead = minimumAhead
            self.maximumAhead = maximumAhead
            self.turnDistance = turnDistance
            self.smoothing = smoothing
        }
    }

    /// What to do about a move.
    public struct Change: Hashable, Sendable {
        /// What was not loaded before, in the direction of travel.
        public var loads: [Int]
        /// What is not wanted any more, in ascending order; also items that the list has no more.
        public var cancels: [Int]

        public init(loads: [Int] = [], cancels: [Int] = []) {
            self.loads = loads
            self.cancels = cancels
        }
    }

    public let rules: Rules
    /// What is loaded or loading: the visible items and those ahead.
    public private(set) var items = 0..<0
    private var motion = ScrollMotion()

    public init(rules: Rules = Rules()) { self.rules = rules }

    /// In items per second, averaged; negative towards the beginning.
    public var velocity: Double { motion.velocity }

    /// Moves the window.
    ///
    /// - Parameters:
    ///   - visible: the items on the screen; none cancels everything.
    ///   - count: how many items the list has now.
    ///   - time: since whatever moment, the same for all updates; never less than in the update before.
    public mutating func update(visible: Range<Int>, of count: Int, at time: Duration) -> Change {
        let visible = visible.clamped(to: 0..<max(0, count))
        motion.moved(to: visible, at: time, rules)
        let before = items
        items = visible.isEmpty ? 0..<0 : window(around: visible).clamped(to: 0..<count)
        return Change(from: before, to: items, isForwards: motion.isForwards)
    }

    /// Forgets the list, when its items have become others. Returns what is to be cancelled.
    public mutating func reset() -> [Int] {
        defer { self = PrefetchWindow(rules: rules) }
        return Array(items)
    }

    /// The far edge keeps up with what is wanted, and goes back only when that is less by a third: a velocity that varies a little
    /// does not cancel and load the same items again and again.
    private func window(around visible: Range<Int>) -> Range<Int> {
        let ahead = ahead
        let most = max(ahead, min(rules.maximumAhead, ahead + ahead / 2))
        func distance(_ present: Int) -> Int {
            present > rules.maximumAhead ? ahead : min(max(present, ahead), most)
        }
        return motion.isForwards
            ? visible.lowerBound..<visible.upperBound + distance(items.upperBound - visible.upperBound)
            : visible.lowerBound - distance(visible.lowerBound - items.lowerBound)..<visible.upperBound
    }

    private var ahead: Int {
        let speed = motion.isForwards ? velocity : -velocity
        let distance = (max(0, speed) * (rules.lead / .seconds(1))).rounded(.up)
        return max(rules.minimumAhead, Int(min(distance, Double(rules.maximumAhead))))
    }
}

extension PrefetchWindow.Change {
    fileprivate init(from before: Range<Int>, to after: Range<Int>, isForwards: Bool) {
        let loads = after.filter { !before.contains($0) }
        self.init(
            loads: isForwards ? loads : loads.reversed(), cancels: before.filter { !after.contains($0) })
    }
}

/// Where a list goes, and how fast, from where it was when.
private struct ScrollMotion: Sendable {
    private(set) var velocity = 0.0
    private(set) var isForwards = true
    fileprivate var last: (position: Double, time: Duration)?
    /// How far it has come in the present direction.
    fileprivate var furthest = 0.0

    mutating func moved(to visible: Range<Int>, at time: Duration, _ rules: PrefetchWindow.Rules) {
        let position = Double(visible.lowerBound + visible.upperBound) / 2
        let reach = Double(visible.count + rules.maximumAhead)
        guard let last, abs(position - last.position) <= reach else { return began(at: position, time) }
        let turns = turns(at: position, rules.turnDistance)
        let seconds = (time - last.time) / .seconds(1)
        guard seconds > 0 else { return }  // what moved counts with the next update
        let present = (position - last.position) / seconds
        let weight = turns ? 1 : seconds / (seconds + rules.smoothing / .seconds(1))
        velocity += weight * (present - velocity)
        self.last = (position, time)
    }

    private mutating func began(at position: Double, _ time: Duration) {
        self = ScrollMotion(last: (position, time), furthest: position)
    }

    private mutating func turns(at position: Double, _ distance: Double) -> Bool {
        let back = isForwards ? furthest - position : position - furthest
        if back > 0, back < distance { return false }
        furthest = position
        if back <= 0 { return false }
        isForwards.toggle()
        return true
    }
}
