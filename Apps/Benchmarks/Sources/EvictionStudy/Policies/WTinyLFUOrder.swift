import ImageMemoryCaching

/// Evicts by LRU from a small window for new entries and a main part in two segments. An entry moves from the window to
/// the main part only if it was requested more often than the entry that it would replace.
///
/// Einziger et al., "TinyLFU", 2017, section 4. The share of the window adapts to the hit ratio as in Caffeine:
/// Einziger et al., "Adaptive software cache management", Middleware 2018. The window holds at least one entry of any
/// size.
struct WTinyLFUOrder: EvictionOrder {
    private enum Segment {
        static let window = 0
        static let probation = 1
        static let protected = 2
    }

    private static let protectedShare = 0.8

    private var segments = SlotQueues(count: 3)
    private var hashes: [UInt64] = []
    private var sketch = FrequencySketch()
    private var climber = WindowClimber()
    private var limits = CacheLimits()
    private var windowLimits = CacheLimits()
    private var protectedLimits = CacheLimits()

    mutating func setLimits(_ limits: CacheLimits) {
        self.limits = limits
        windowLimits = limits.share(climber.share)
        protectedLimits = limits.subtracting(windowLimits).share(Self.protectedShare)
    }

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        segments.append(slot, cost: entry.cost, to: Segment.window)
        hashes.set(entry.hash, at: slot)
        sketch.reserve(hashes.count)
        count(slot, isHit: false)
        while window.exceeds(windowLimits), window.count > 1, let oldest = segments.oldest(in: Segment.window) {
            segments.move(oldest, to: Segment.probation)
        }
    }

    mutating func use(_ slot: Int) {
        count(slot, isHit: true)
        guard segments.queue(of: slot) != Segment.window else { return segments.move(slot, to: Segment.window) }
        segments.move(slot, to: Segment.protected)
        while segments.fill(of: Segment.protected).exceeds(protectedLimits),
            let oldest = segments.oldest(in: Segment.protected)
        { segments.move(oldest, to: Segment.probation) }
    }

    mutating func remove(_ slot: Int) { segments.remove(slot) }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        guard let main = coldestInMain else { return segments.oldest(in: Segment.window) }
        guard window.adding(incoming?.cost ?? 0).exceeds(windowLimits),
            let candidate = segments.oldest(in: Segment.window)
        else { return main }
        guard frequency(candidate) > frequency(main) else { return candidate }
        segments.move(candidate, to: Segment.probation)
        return main
    }

    private var window: QueueFill { segments.fill(of: Segment.window) }

    private var coldestInMain: Int? {
        segments.oldest(in: Segment.probation) ?? segments.oldest(in: Segment.protected)
    }

    private func frequency(_ slot: Int) -> Int { sketch.frequency(of: hashes[slot]) }

    private mutating func count(_ slot: Int, isHit: Bool) {
        sketch.count(hashes[slot])
        if climber.count(isHit: isHit, period: 10 * hashes.count) { setLimits(limits) }
    }
}

/// Finds the share of the window by hill climbing: it continues in one direction while the hit ratio rises.
private struct WindowClimber {
    private static let minShare = 0.01
    private static let maxShare = 0.8
    private static let firstStep = 0.0625
    private static let decay = 0.98
    /// A change of the hit ratio that restarts the search with large steps.
    private static let restart = 0.05
    private static let minPeriod = 1_000

    private(set) var share = Self.minShare
    private var step = Self.firstStep
    private var hits = 0
    private var accesses = 0
    private var lastRatio: Double?

    /// Counts an access. After `period` accesses, changes the share and returns true.
    mutating func count(isHit: Bool, period: Int) -> Bool {
        accesses += 1
        if isHit { hits += 1 }
        guard accesses >= max(period, Self.minPeriod) else { return false }
        let ratio = Double(hits) / Double(accesses)
        (hits, accesses) = (0, 0)
        defer { lastRatio = ratio }
        guard let lastRatio else { return false }
        climb(by: ratio - lastRatio)
        return true
    }

    private mutating func climb(by change: Double) {
        if change < 0 { step = -step }
        share = min(Self.maxShare, max(Self.minShare, share + step))
        step = abs(change) >= Self.restart ? Self.firstStep * (step < 0 ? -1 : 1) : step * Self.decay
    }
}
