/// Keeps the books of a cache: where entries are, what they cost, how long they live, who goes next. It knows neither keys nor
/// values, so that the part of a cache that is compiled anew for every type of key and value stays small.
///
/// Entries have *places*, numbers from 0 on that are used again once they are free.
@usableFromInline
struct CacheLedger: ~Copyable {
    /// What an entry on its way in has to wait for.
    @usableFromInline
    enum Admission {
        /// It has this place from now on.
        case admitted(place: Int)
        /// The entry at this place has to go first: remove it and ask again.
        case evict(place: Int, EvictionCause)
        case refused
    }

    /// What the books know of an entry beside the order of eviction.
    @usableFromInline
    struct Record: Sendable {
        @usableFromInline var candidate: EvictionCandidate
        /// Nil without a clock.
        var times: EntryTimes?

        @usableFromInline
        func isOver(at now: Duration?) -> Bool {
            guard let now, let times else { return false }
            return times.isOver(at: now)
        }
    }

    /// How many places there are, free ones included.
    @usableFromInline var placeCount: Int { records.count }
    @usableFromInline private(set) var table = PlaceTable()
    private var records: [Record] = []
    private var freePlaces: [Int] = []
    /// The places of the latest hits, oldest first, which the order does not know of yet.
    private var untoldUses: [Int] = []
    private static let mostUntoldUses = 64
    private let policy: EvictionPolicy
    private var order: any EvictionOrder
    private let lifetime: EntryLifetime?
    /// Where the search for expired entries goes on.
    private var sweepHand = 0
    private var hits = 0
    private var misses = 0
    private var revivals = 0
    private var evictions = [Int](repeating: 0, count: EvictionCause.allCases.count)
    /// The sum of all costs. Never above `limits.cost`.
    @usableFromInline private(set) var totalCost = 0
    @usableFromInline private(set) var limits: CacheLimits

    /// - Parameter lifetime: of entries that come without one.
    @usableFromInline
    init(limits: CacheLimits, policy: EvictionPolicy, lifetime: EntryLifetime?) {
        self.limits = limits
        self.policy = policy
        self.lifetime = lifetime
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    /// How many entries there are. Never above `limits.count`.
    @usableFromInline var count: Int { table.count }

    /// The books on a new entry.
    /// - Parameter now: nil without a clock.
    @usableFromInline
    func record(_ candidate: EvictionCandidate, lifetime: EntryLifetime?, at now: Duration?) -> Record {
        precondition(candidate.cost >= 0, "a cost is not negative: \(candidate.cost)")
        precondition(lifetime == nil || now != nil, "an entry's lifetime needs a cache with a clock")
        return Record(
            candidate: candidate, times: now.map { EntryTimes(lifetime: lifetime ?? self.lifetime, now: $0) })
    }

    /// Notes a hit.
    /// - Returns: whether the entry may still be served.
    @usableFromInline
    mutating func use(_ place: Int, at now: Duration?) -> Bool {
        if let now, !use(place, before: now) { return false }
        note(place)
        hits += 1
        return true
    }

    /// Hits are told to the order many at a time: what it has to look up for one it can look up while it waits for the other's.
    private mutating func note(_ place: Int) {
        untoldUses.append(place)
        if untoldUses.count == Self.mostUntoldUses { tellUses() }
    }

    /// Before the order is asked or told anything else.
    private mutating func tellUses() {
        guard !untoldUses.isEmpty else { return }
        order.use(untoldUses)
        untoldUses.removeAll(keepingCapacity: true)
    }

    /// Apart, because a cache without a clock does without.
    @inline(never)
    private mutating func use(_ place: Int, before now: Duration) -> Bool {
        if records[place].isOver(at: now) { return false }
        records[place].times?.use(at: now)
        return true
    }

    @usableFromInline
    mutating func miss() { misses += 1 }

    @usableFromInline
    mutating func revive() {
        hits += 1
        revivals += 1
    }

    @usableFromInline
    mutating func noteEviction(_ cause: EvictionCause) { evictions[cause.rawValue] += 1 }

    /// Asks for a place; again after each eviction until there is one, or until it is refused.
    ///
    /// What is above a limit alone is refused at once and evicts nothing.
    @usableFromInline
    mutating func admit(_ record: Record) -> Admission {
        let entry = record.candidate
        guard entry.cost <= min(limits.cost, limits.entryCost), limits.count > 0 else { return refuse(.entryLimit) }
        let isDear = totalCost > limits.cost - entry.cost
        guard isDear || count >= limits.count else { return .admitted(place: add(record)) }
        tellUses()
        guard let place = order.victim(for: entry) else { return refuse(.admission) }
        return .evict(place: place, isDear ? .cost : .count)
    }

    /// Takes an entry out of the books.
    @usableFromInline
    mutating func remove(_ place: Int) -> Record {
        let record = records[place]
        table.remove(record.candidate.hash, place: place)
        freePlaces.append(place)
        totalCost -= record.candidate.cost
        tellUses()
        order.remove(place)
        return record
    }

    /// Begins anew, without an entry and without anything learned. What was counted stays.
    @usableFromInline
    mutating func removeAll() {
        table = PlaceTable()
        (records, freePlaces, untoldUses, totalCost) = ([], [], [], 0)
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    @usableFromInline
    mutating func setLimits(_ limits: CacheLimits) {
        self.limits = limits
        tellUses()
        order.setLimits(limits)
    }

    /// The entry that has to go until the rest costs as much and is as many at most.
    @usableFromInline
    mutating func excess(overCost cost: Int, count: Int) -> Int? {
        guard totalCost > max(0, cost) || self.count > max(0, count) else { return nil }
        tellUses()
        return order.victim(for: nil)
    }

    /// The next place in a round through all of them, if its time is over.
    @usableFromInline
    mutating func nextExpired(at now: Duration, isUsed: (Int) -> Bool) -> Int? {
        guard !records.isEmpty else { return nil }
        sweepHand = sweepHand + 1 < records.count ? sweepHand + 1 : 0
        return isUsed(sweepHand) && records[sweepHand].isOver(at: now) ? sweepHand : nil
    }

    @usableFromInline
    mutating func statistics(at now: Duration?) -> CacheStatistics {
        tellUses()
        var statistics = CacheStatistics()
        (statistics.hits, statistics.misses, statistics.revivals) = (hits, misses, revivals)
        for cause in EvictionCause.allCases { statistics.evictions[cause] = evictions[cause.rawValue] }
        (statistics.totalCost, statistics.count) = (totalCost, count)
        if let now, let times = order.coldest.flatMap({ records[$0].times }) {
            statistics.coldestAge = now - times.lastUse
        }
        return statistics
    }

    private mutating func refuse(_ cause: EvictionCause) -> Admission {
        noteEviction(cause)
        return .refused
    }

    private mutating func add(_ record: Record) -> Int {
        let place = freePlaces.popLast() ?? records.count
        if place == records.count { records.append(record) } else { records[place] = record }
        table.insert(record.candidate.hash, place: place)
        totalCost += record.candidate.cost
        tellUses()
        order.insert(record.candidate, at: place)
        return place
    }
}
