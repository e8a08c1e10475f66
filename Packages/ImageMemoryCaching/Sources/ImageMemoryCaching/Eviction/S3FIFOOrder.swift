/// A small queue that takes what is new, a main queue for what was used again there, and the ghosts of what was not:
/// Yang et al., SOSP 2023, algorithm 1, with the parameters of the authors' simulator libCacheSim: a tenth of the budget for
/// the small queue, two uses for the way to the main one, and ghosts for nine tenths of the budget. As there, what is larger than
/// the small queue is refused; here only when there is no room for it without evicting.
struct S3FIFOOrder: EvictionOrder {
    private enum Queue {
        static let small = 0
        static let main = 1
    }

    private struct Entry {
        var hash: UInt64
        var cost: Int
        var queue: Int
    }

    private static let mostUses: UInt8 = 3
    private static let usesForMain: UInt8 = 2

    private var queues = PlaceLists<Entry>(count: 2)
    /// By place: apart, so that hits touch little memory.
    private var uses: [UInt8] = []
    private var ghosts = GhostQueue()
    private var filled = [QueueFill(), QueueFill()]
    private var smallLimits = CacheLimits()
    private var mainLimits = CacheLimits()
    private var ghostLimits = CacheLimits()
    private var hasEvicted = false
    /// The hash of what is coming, when it was a ghost before room was made for it.
    private var returning: UInt64?

    mutating func setLimits(_ limits: CacheLimits) {
        smallLimits = limits.share(0.1)
        mainLimits = limits.less(smallLimits)
        ghostLimits = limits.share(0.9)
    }

    mutating func insert(_ entry: EvictionCandidate, at place: Int) {
        let queue = queue(for: entry)
        queues.insert(Entry(hash: entry.hash, cost: entry.cost, queue: queue), at: place, to: queue)
        uses.set(0, at: place)
        filled[queue].add(entry.cost)
    }

    mutating func use(_ place: Int) {
        if uses[place] < Self.mostUses { uses[place] += 1 }
    }

    mutating func remove(_ place: Int) {
        queues.remove(place)
        filled[queues[place].queue].remove(queues[place].cost)
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        if let incoming, smallLimits.cost > 0, incoming.cost > smallLimits.cost { return nil }
        hasEvicted = true
        if let incoming, ghosts.remove(incoming.hash) { returning = incoming.hash }
        while coldest != nil {
            if let place = isMainNext ? victimInMain() : victimInSmall() { return place }
        }
        return nil
    }

    var coldest: Int? { queues.oldest(in: isMainNext ? Queue.main : Queue.small) }

    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        ghosts.expect(incoming.hash)
        ghosts.expectForgetting()
        queues.foresee(from: coldest) { place, distance in
            if distance == 3 { uses.prefetch(place) }
            if distance == 1 { ghosts.expect(queues[place].hash) }
            tell(place, distance)
        }
    }

    private var isMainNext: Bool { filled[Queue.main].exceeds(mainLimits) || filled[Queue.small].count == 0 }

    /// What left the small queue not long ago and is wanted again goes to the main one. So does what is new while the cache
    /// fills for the first time and the small queue has its share.
    private mutating func queue(for entry: EvictionCandidate) -> Int {
        defer { returning = nil }
        if returning == entry.hash || ghosts.remove(entry.hash) { return Queue.main }
        return !hasEvicted && filled[Queue.small].reaches(smallLimits) ? Queue.main : Queue.small
    }

    private mutating func victimInSmall() -> Int? {
        while let place = queues.oldest(in: Queue.small) {
            guard uses[place] >= Self.usesForMain else {
                ghosts.add(queues[place].hash, cost: queues[place].cost, limits: ghostLimits)
                return place
            }
            moveToMain(place)
        }
        return nil
    }

    private mutating func moveToMain(_ place: Int) {
        filled[Queue.small].remove(queues[place].cost)
        filled[Queue.main].add(queues[place].cost)
        queues[place].queue = Queue.main
        uses[place] = 0
        queues.move(place, to: Queue.main)
    }

    private mutating func victimInMain() -> Int? {
        while let place = queues.oldest(in: Queue.main) {
            guard uses[place] > 0 else { return place }
            uses[place] -= 1
            queues.move(place, to: Queue.main)
        }
        return nil
    }
}

/// How much is in one of an order's queues.
struct QueueFill {
    private(set) var cost = 0
    private(set) var count = 0

    mutating func add(_ cost: Int) {
        self.cost += cost
        count += 1
    }

    mutating func remove(_ cost: Int) {
        self.cost -= cost
        count -= 1
    }

    func exceeds(_ limits: CacheLimits) -> Bool { cost > limits.cost || count > limits.count }
    func reaches(_ limits: CacheLimits) -> Bool { cost >= limits.cost || count >= limits.count }
}

extension CacheLimits {
    /// A part of the cost and of the count, rounded down.
    func share(_ part: Double) -> CacheLimits {
        CacheLimits(cost: Self.part(part, of: cost), count: Self.part(part, of: count))
    }

    /// What is left without a part.
    func less(_ part: CacheLimits) -> CacheLimits {
        CacheLimits(
            cost: cost == .max ? .max : cost - part.cost, count: count == .max ? .max : count - part.count)
    }

    private static func part(_ part: Double, of whole: Int) -> Int {
        whole == .max ? .max : Int(Double(whole) * part)
    }
}
