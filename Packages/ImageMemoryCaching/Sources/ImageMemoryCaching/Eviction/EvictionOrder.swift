/// Decides which entry of a cache goes when room is needed: the state behind an `EvictionPolicy`.
///
/// It sees neither keys nor values but *places*: small numbers from 0 on that the cache gives to its entries and uses again
/// after they have gone, so that an order can keep what it knows in arrays. A new place may leave some before it unused. The cache calls it under its lock, one call at a
/// time; an order calls nobody. Every method is to take O(1) time, amortised at most.
public protocol EvictionOrder: Sendable {
    /// Says what the cache may keep: first of all, and again when it changes.
    mutating func setLimits(_ limits: CacheLimits)
    /// A new entry has got a place that is free.
    mutating func insert(_ entry: EvictionCandidate, at place: Int)
    /// The entry at a place was asked for and found.
    mutating func use(_ place: Int)
    /// The same for several, one after the other; a place may be there more than once. By `use(_:)` for each unless told otherwise.
    ///
    /// A cache collects hits and tells them before it calls anything else.
    mutating func use(_ places: [Int])
    /// The entry at a place is gone: evicted, removed or expired. The place is free from now on.
    mutating func remove(_ place: Int)
    /// The entry that goes next, to make room for `incoming`, or for nothing when the cache is only trimmed.
    ///
    /// The cache removes that entry before it calls anything else, and asks again while there is not enough room.
    /// - Returns: a place in use; nil to refuse `incoming`. For no `incoming`, nil is only returned when nothing is left.
    mutating func victim(for incoming: EvictionCandidate?) -> Int?
    /// The entry that would be looked at first for eviction. Changes nothing.
    var coldest: Int? { get }
    /// Says which entries will probably have to go after the next one. Changes nothing, and nothing but time depends on it: the cache
    /// fetches what it knows of them from memory. None unless told otherwise.
    /// - Parameters:
    ///   - incoming: what comes in now, into a cache that is full.
    ///   - tell: takes a place in use, and how many go before it: 1, 2 or 3.
    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void)
}

extension EvictionOrder {
    public mutating func use(_ places: [Int]) {
        for place in places { use(place) }
    }

    public func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {}
}

/// What an order may know of an entry.
public struct EvictionCandidate: Hashable, Sendable {
    /// The hash of its key, well mixed: the same for the same key as long as the process lives.
    public var hash: UInt64
    /// What it costs, not negative.
    public var cost: Int
    /// What it takes to get it again once it has gone.
    public var refetch: RefetchCost

    public init(hash: UInt64, cost: Int, refetch: RefetchCost = .network) {
        self.hash = hash
        self.cost = cost
        self.refetch = refetch
    }
}

/// What it takes to get a value again once it has gone.
public enum RefetchCost: UInt8, Hashable, Sendable, CaseIterable {
    /// It is at hand on this machine: read and decode it.
    case disk
    /// It has to come over the network first.
    case network
}
