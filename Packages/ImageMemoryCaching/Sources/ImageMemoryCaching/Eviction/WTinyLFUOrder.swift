/// A small window that takes what is new, the least recently used first, and a main part in two segments: what comes out of the
/// window gets in there only if it was asked for more often of late than what would have to go.
///
/// Einziger et al., "TinyLFU", 2017, section 4. The window's share adapts to the hits as in Caffeine: Einziger et al.,
/// "Adaptive software cache management", Middleware 2018. The window holds one entry at least, however large.
struct WTinyLFUOrder: EvictionOrder {
    private enum Segment {
        static let window = 0
        static let probation = 1
        static let protected = 2
    }

    private struct Entry {
        var hash: UInt64
        var cost: Int
        var segment: Int
    }

    private static let protectedShare = 0.8

    private var segments = PlaceLists<Entry>(count: 3)
    private var filled = [QueueFill](repeating: QueueFill(), count: 3)
    private var sketch = FrequencySketch()
    private var climber = WindowClimber()
    private var limits = CacheLimits()
    private var windowLimits = CacheLimits()
    private var protectedLimits = CacheLimits()

    mutating func setLimits(_ limits: CacheLimits) {
        self.limits = limits
        windowLimits = limits.share(climber.share)
        protectedLimits = limits.less(windowLimits).share(Self.protectedShare)
    }

    mutating func insert(_ entry: EvictionCandidate, at place: Int) {
        segments.insert(
            Entry(hash: entry.hash, cost: entry.cost, segment: Segment.window), at: place, to: Segment.window)
        filled[Segment.window].add(entry.cost)
        sketch.reserve(segments.placeCount)
        sketch.see(entry.hash)
        adapt(isHit: false)
        while filled[Segment.window].exceeds(windowLimits), filled[Segment.window].count > 1,
            let oldest = segments.oldest(in: Segment.window)
        { move(oldest, to: Segment.probation) }
    }

    mutating func use(_ place: Int) {
        sketch.see(segments[place].hash)
        adapt(isHit: true)
        guard segments[place].segment != Segment.window else { return segments.move(place, to: Segment.window) }
        move(place, to: Segment.protected)
        while filled[Segment.protected].exceeds(protectedLimits),
            let oldest = segments.oldest(in: Segment.protected)
        { move(oldest, to: Segment.probation) }
    }

    mutating func remove(_ place: Int) {
        segments.remove(place)
        filled[segments[place].segment].remove(segments[place].cost)
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        guard let main = coldestInMain else { return segments.oldest(in: Segment.window) }
        var window = filled[Segment.window]
        window.add(incoming?.cost ?? 0)
        guard window.exceeds(windowLimits), let candidate = segments.oldest(in: Segment.window) else { return main }
        guard frequency(candidate) > frequency(main) else { return candidate }
        move(candidate, to: Segment.probation)
        return main
    }

    var coldest: Int? { coldestInMain ?? segments.oldest(in: Segment.window) }

    /// Either the oldest of the window goes or that of the main part.
    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        sketch.expect(incoming.hash)
        foresee(from: segments.oldest(in: Segment.window), tell)
        foresee(from: coldestInMain, tell)
    }

    private func foresee(from place: Int?, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        segments.foresee(from: place) { place, distance in
            if distance == 2 { sketch.expect(segments[place].hash) }
            tell(place, distance)
        }
    }

    private var coldestInMain: Int? {
        segments.oldest(in: Segment.probation) ?? segments.oldest(in: Segment.protected)
    }

    private func frequency(_ place: Int) -> Int { sketch.frequency(of: segments[place].hash) }

    private mutating func move(_ place: Int, to segment: Int) {
        filled[segments[place].segment].remove(segments[place].cost)
        filled[segment].add(segments[place].cost)
        segments[place].segment = segment
        segments.move(place, to: segment)
    }

    private mutating func adapt(isHit: Bool) {
        if climber.note(isHit: isHit, period: 10 * segments.placeCount) { setLimits(limits) }
    }
}

/// Finds the share of the window by climbing: it goes on in a direction while the hit ratio rises, and turns when it falls.
private struct WindowClimber {
    private static let firstShare = 0.01
    private static let firstStep = 0.0625
    private static let decay = 0.98
    /// A change of the hit ratio from which on the search begins anew, with large steps.
    private static let restart = 0.05
    private static let leastPeriod = 1_000

    private(set) var share = Self.firstShare
    private var step = Self.firstStep
    private var hits = 0
    private var accesses = 0
    private var lastRatio: Double?

    /// Counts an access.
    /// - Parameter period: after so many accesses the ratio is looked at.
    /// - Returns: whether the share is another one now.
    mutating func note(isHit: Bool, period: Int) -> Bool {
        accesses += 1
        if isHit { hits += 1 }
        guard accesses >= max(period, Self.leastPeriod) else { return false }
        let ratio = Double(hits) / Double(accesses)
        (hits, accesses) = (0, 0)
        defer { lastRatio = ratio }
        guard let lastRatio else { return false }
        climb(by: ratio - lastRatio)
        return true
    }

    private mutating func climb(by change: Double) {
        if change < 0 { step = -step }
        share = min(0.8, max(Self.firstShare, share + step))
        step = abs(change) >= Self.restart ? Self.firstStep * (step < 0 ? -1 : 1) : step * Self.decay
    }
}
