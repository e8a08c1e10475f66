/// Keeps the books of a cache: what entries cost, where they are, who goes next. It knows neither keys nor values, so that the
/// part of a cache that is compiled anew for every type of key and value stays small.
///
/// Entries have *places*, numbers from 0 on that are used again once they are free. The places of a shard are those whose
/// remainder by the number of shards is the shard's own number.
@usableFromInline
struct CacheLedger: ~Copyable, Sendable {
    /// What an entry on its way in has to wait for.
    @usableFromInline
    enum Admission {
        /// It has this place from now on.
        case admitted(place: Int)
        /// The entry at this place has to go first: remove it and ask again.
        case evict(place: Int, EvictionCause)
        case refused
    }

    /// By place.
    private var candidates: [EvictionCandidate] = []
    /// By shard.
    private var freePlaces: [[Int]]
    /// By shard: the first place that was never in use.
    private var newPlaces: [Int]
    private let policy: EvictionPolicy
    private var order: any EvictionOrder
    private var misses = 0
    private var revivals = 0
    private var evictions = [Int](repeating: 0, count: EvictionCause.allCases.count)
    /// The sum of all costs. Never above `limits.cost`.
    @usableFromInline private(set) var totalCost = 0
    /// How many entries there are. Never above `limits.count`.
    @usableFromInline private(set) var count = 0
    @usableFromInline private(set) var limits: CacheLimits

    /// A power of two, so that a hash is told its shard by its last bits.
    @usableFromInline
    static func shardCount(atLeast shards: Int) -> Int {
        precondition(1...1_024 ~= shards, "a cache has 1 to 1,024 shards, not \(shards)")
        return shards == 1 ? 1 : 1 << (Int.bitWidth - (shards - 1).leadingZeroBitCount)
    }

    @usableFromInline
    init(limits: CacheLimits, policy: EvictionPolicy, shards: Int) {
        self.limits = limits
        self.policy = policy
        freePlaces = [[Int]](repeating: [], count: shards)
        newPlaces = Array(0..<shards)
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    /// Tells the order of hits, oldest first. Before it is asked or told anything else.
    mutating func use(_ places: [Int]) { order.use(places) }

    @usableFromInline
    mutating func miss() { misses += 1 }

    @usableFromInline
    mutating func revive() { revivals += 1 }

    @usableFromInline
    mutating func noteEviction(_ cause: EvictionCause) { evictions[cause.rawValue] += 1 }

    /// Asks for a place in a shard; again after each eviction until there is one, or until it is refused.
    ///
    /// What is above a limit alone is refused at once and evicts nothing.
    @usableFromInline
    mutating func admit(_ entry: EvictionCandidate, to shard: Int) -> Admission {
        precondition(entry.cost >= 0, "a cost is not negative: \(entry.cost)")
        guard entry.cost <= min(limits.cost, limits.entryCost), limits.count > 0 else { return refuse(.entryLimit) }
        let isDear = totalCost > limits.cost - entry.cost
        guard isDear || count >= limits.count else { return .admitted(place: add(entry, to: shard)) }
        guard let place = order.victim(for: entry) else { return refuse(.admission) }
        return .evict(place: place, isDear ? .cost : .count)
    }

    /// Takes an entry out of the books.
    @usableFromInline
    mutating func remove(_ place: Int) {
        totalCost -= candidate(at: place).cost
        count -= 1
        freePlaces[place % freePlaces.count].append(place)
        order.remove(place)
    }

    /// What is known of the entry at a place in use.
    @usableFromInline
    func candidate(at place: Int) -> EvictionCandidate { candidates[place] }

    /// Above all places that are or were in use.
    @usableFromInline var placeCount: Int { candidates.count }

    /// Begins anew, without an entry and without anything learned. What was counted stays.
    @usableFromInline
    mutating func removeAll() {
        let shards = freePlaces.count
        (candidates, totalCost, count) = ([], 0, 0)
        freePlaces = [[Int]](repeating: [], count: shards)
        newPlaces = Array(0..<shards)
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    @usableFromInline
    mutating func setLimits(_ limits: CacheLimits) {
        self.limits = limits
        order.setLimits(limits)
    }

    /// The entry that has to go until the rest costs as much and is as many at most.
    @usableFromInline
    mutating func excess(overCost cost: Int, count: Int) -> Int? {
        totalCost > max(0, cost) || self.count > max(0, count) ? order.victim(for: nil) : nil
    }

    /// The entry that would be looked at first for eviction.
    @usableFromInline var coldest: Int? { order.coldest }

    /// All that is known here; the hits on entries are for the shards to say.
    @usableFromInline var statistics: CacheStatistics {
        var statistics = CacheStatistics()
        (statistics.hits, statistics.misses, statistics.revivals) = (revivals, misses, revivals)
        for cause in EvictionCause.allCases { statistics.evictions[cause] = evictions[cause.rawValue] }
        (statistics.totalCost, statistics.count) = (totalCost, count)
        return statistics
    }

    private mutating func refuse(_ cause: EvictionCause) -> Admission {
        noteEviction(cause)
        return .refused
    }

    private mutating func add(_ entry: EvictionCandidate, to shard: Int) -> Int {
        let place = freePlaces[shard].popLast() ?? newPlace(in: shard)
        candidates.set(entry, at: place)
        totalCost += entry.cost
        count += 1
        order.insert(entry, at: place)
        return place
    }

    private mutating func newPlace(in shard: Int) -> Int {
        defer { newPlaces[shard] += newPlaces.count }
        return newPlaces[shard]
    }
}
