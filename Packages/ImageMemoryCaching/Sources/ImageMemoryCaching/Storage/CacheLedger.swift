/// Keeps the books of a cache: where entries are, what they cost, who goes next. It knows neither keys nor values, so that
/// the part of a cache that is compiled anew for every type of key and value stays small.
///
/// Entries have *places*, numbers from 0 on that are used again once they are free.
@usableFromInline
struct CacheLedger: ~Copyable {
    private struct Record {
        var hash: UInt64
        var cost: Int
    }

    /// What an entry on its way in has to wait for.
    @usableFromInline
    enum Admission {
        /// It has this place from now on.
        case admitted(place: Int)
        /// The entry at this place is out of the books: take it away and ask again.
        case evict(place: Int)
        case refused
    }

    @usableFromInline private(set) var table = PlaceTable()
    private var records: [Record] = []
    private var freePlaces: [Int] = []
    private let policy: EvictionPolicy
    private var order: any EvictionOrder
    /// The sum of all costs. Never above `limits.cost`.
    @usableFromInline private(set) var totalCost = 0
    @usableFromInline private(set) var limits: CacheLimits

    @usableFromInline
    init(limits: CacheLimits, policy: EvictionPolicy) {
        self.limits = limits
        self.policy = policy
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    /// How many entries there are. Never above `limits.count`.
    @usableFromInline var count: Int { table.count }

    /// Begins anew, without an entry and without anything learned.
    @usableFromInline
    mutating func removeAll() { self = CacheLedger(limits: limits, policy: policy) }

    @usableFromInline
    mutating func use(_ place: Int) { order.use(place) }

    /// Asks for a place; again after each eviction until there is one, or until it is refused.
    ///
    /// What is above a limit alone is refused at once and evicts nothing.
    @usableFromInline
    mutating func admit(_ entry: EvictionCandidate) -> Admission {
        precondition(entry.cost >= 0, "a cost is not negative: \(entry.cost)")
        guard entry.cost <= min(limits.cost, limits.entryCost), limits.count > 0 else { return .refused }
        guard totalCost > limits.cost - entry.cost || count >= limits.count else {
            return .admitted(place: add(entry))
        }
        guard let place = order.victim(for: entry) else { return .refused }
        remove(place)
        return .evict(place: place)
    }

    @usableFromInline
    mutating func remove(_ place: Int) {
        let record = records[place]
        table.remove(record.hash, place: place)
        freePlaces.append(place)
        totalCost -= record.cost
        order.remove(place)
    }

    @usableFromInline
    mutating func setLimits(_ limits: CacheLimits) {
        self.limits = limits
        order.setLimits(limits)
    }

    /// The entry that has to go, and is out of the books already, until the rest costs as much and is as many at most.
    @usableFromInline
    mutating func trim(toCost cost: Int, count: Int) -> Int? {
        guard totalCost > max(0, cost) || self.count > max(0, count) else { return nil }
        guard let place = order.victim(for: nil) else { return nil }
        remove(place)
        return place
    }

    private mutating func add(_ entry: EvictionCandidate) -> Int {
        let place = freePlaces.popLast() ?? records.count
        let record = Record(hash: entry.hash, cost: entry.cost)
        if place == records.count { records.append(record) } else { records[place] = record }
        table.insert(entry.hash, place: place)
        totalCost += entry.cost
        order.insert(entry, at: place)
        return place
    }
}
