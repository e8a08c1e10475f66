/// Keeps the books of a cache: what entries cost, where they are, who goes next. It knows neither keys nor values, so that the
/// part of a cache that is compiled anew for every type of key and value stays small.
///
/// Entries have *places*, numbers from 0 on that are used again once they are free.
@usableFromInline
struct CacheLedger: ~Copyable, Sendable {
    /// What an entry on its way in has to wait for.
    @usableFromInline
    enum Admission: Sendable {
        /// It has this place from now on.
        case admitted(place: Int)
        /// The entry at this place has to go first: remove it and ask again.
        case evict(place: Int, EvictionCause)
        case refused
    }

    /// By place.
    private var candidates: [EvictionCandidate] = []
    private var freePlaces: [Int] = []
    private let policy: EvictionPolicy
    private var order: any EvictionOrder
    private var hits = 0
    private var misses = 0
    private var revivals = 0
    private var evictions = [Int](repeating: 0, count: EvictionCause.allCases.count)
    /// The sum of all costs. Never above `limits.cost`.
    @usableFromInline private(set) var totalCost = 0
    /// How many entries there are. Never above `limits.count`.
    @usableFromInline private(set) var count = 0
    @usableFromInline private(set) var limits: CacheLimits

    @usableFromInline
    init(limits: CacheLimits, policy: EvictionPolicy) {
        self.limits = limits
        self.policy = policy
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    /// Tells the order of hits, oldest first. Before it is asked or told anything else.
    @usableFromInline
    mutating func use(_ places: [Int]) {
        hits += places.count
        order.use(places)
    }

    /// Counts hits that the order is not told of.
    mutating func noteHits(_ count: Int) { hits += count }

    @usableFromInline
    mutating func miss() { misses += 1 }

    @usableFromInline
    mutating func revive() { revivals += 1 }

    @usableFromInline
    mutating func noteEviction(_ cause: EvictionCause) { evictions[cause.rawValue] += 1 }

    /// Asks for a place; again after each eviction until there is one, or until it is refused.
    ///
    /// What is above a limit alone is refused at once and evicts nothing.
    @usableFromInline
    mutating func admit(_ entry: EvictionCandidate) -> Admission {
        precondition(entry.cost >= 0, "a cost is not negative: \(entry.cost)")
        guard entry.cost <= min(limits.cost, limits.entryCost), limits.count > 0 else { return refuse(.entryLimit) }
        let isDear = totalCost > limits.cost - entry.cost
        guard isDear || count >= limits.count else { return .admitted(place: add(entry)) }
        guard let place = order.victim(for: entry) else { return refuse(.admission) }
        return .evict(place: place, isDear ? .cost : .count)
    }

    /// Tells which entries will probably have to go, and after how many others: 1, 2 or 3. None while there is room.
    @usableFromInline
    func foreseeVictims(for entry: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        guard count >= limits.count || totalCost > limits.cost &- entry.cost else { return }
        order.foreseeVictims(for: entry) { place, distance in
            if distance == 3 { candidates.prefetch(place) }
            tell(place, distance)
        }
    }

    /// Takes an entry out of the books.
    @usableFromInline
    mutating func remove(_ place: Int) {
        totalCost -= candidate(at: place).cost
        count -= 1
        freePlaces.append(place)
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
        (candidates, freePlaces, totalCost, count) = ([], [], 0, 0)
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

    /// All that is known here.
    @usableFromInline var statistics: CacheStatistics {
        var statistics = CacheStatistics()
        (statistics.hits, statistics.misses, statistics.revivals) = (hits + revivals, misses, revivals)
        for cause in EvictionCause.allCases { statistics.evictions[cause] = evictions[cause.rawValue] }
        (statistics.totalCost, statistics.count) = (totalCost, count)
        return statistics
    }

    private mutating func refuse(_ cause: EvictionCause) -> Admission {
        noteEviction(cause)
        return .refused
    }

    private mutating func add(_ entry: EvictionCandidate) -> Int {
        let place = freePlaces.popLast() ?? candidates.count
        candidates.set(entry, at: place)
        totalCost += entry.cost
        count += 1
        order.insert(entry, at: place)
        return place
    }
}
