/// What one shard knows of its entries beside keys and values: how long they live, and which hits the cache's order of eviction
/// has not been told of yet.
///
/// Entries have an *index* here: the quotient of their place and the number of shards.
@usableFromInline
struct ShardLedger: ~Copyable, Sendable {
    /// After so many hits it is time to tell the order. They are told many at a time: what it has to look up for one hit it looks
    /// up while it waits for the other's.
    private static let mostUntoldUses = 64

    private let shard: Int
    private let shards: Int
    /// By index; empty without a clock.
    private var times: [EntryTimes] = []
    /// The places of the latest hits, oldest first.
    private var untoldUses: [Int] = []
    @usableFromInline private(set) var hits = 0

    @usableFromInline
    init(shard: Int, of shards: Int) {
        self.shard = shard
        self.shards = shards
    }

    /// What came of a hit.
    @usableFromInline
    @frozen
    enum Use {
        case isNoted
        /// Noted, and there are many that the cache's books do not know of.
        case isNotedAndTellingDue
        /// The entry's time is over: it is none.
        case isTooLate
    }

    /// Notes a hit.
    /// - Parameter now: nil without a clock.
    @usableFromInline
    mutating func use(_ index: Int, at now: Duration?) -> Use {
        if let now, !use(index, before: now) { return .isTooLate }
        untoldUses.append(index * shards + shard)
        hits += 1
        return untoldUses.count < Self.mostUntoldUses ? .isNoted : .isNotedAndTellingDue
    }

    /// Apart, because a cache without a clock does without.
    @inline(never)
    private mutating func use(_ index: Int, before now: Duration) -> Bool {
        if times[index].isOver(at: now) { return false }
        times[index].use(at: now)
        return true
    }

    /// Tells the cache's books of the hits that they do not know of.
    @usableFromInline
    mutating func tellUses(to books: inout CacheLedger) {
        if untoldUses.isEmpty { return }
        books.use(untoldUses)
        untoldUses.removeAll(keepingCapacity: true)
    }

    @usableFromInline
    mutating func insert(_ index: Int, _ entryTimes: EntryTimes?) {
        if let entryTimes { times.set(entryTimes, at: index) }
    }

    /// Begins anew. What was counted stays.
    @usableFromInline
    mutating func removeAll() {
        (times, untoldUses) = ([], [])
    }

    /// Of an entry that is here; nil without a clock.
    @usableFromInline
    func times(of index: Int) -> EntryTimes? { times.isEmpty ? nil : times[index] }
}
