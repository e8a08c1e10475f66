import CImageMemoryCaching

/// The hits of some threads that the books do not know of yet.
@usableFromInline
struct HitLog: ~Copyable, Sendable {
    /// After so many it is time to tell the books, and after as many again. They are told many at a time: what has to be looked up for
    /// one hit is looked up while that for the others is on its way.
    private static let batch = 64
    /// As long as other threads keep the books busy, nobody waits for them; hits above so many are counted, but are no uses.
    private static let most = 512

    private var hits: [Hit] = []
    /// How many were above the most.
    private var unnoted = 0

    init() { hits.reserveCapacity(Self.most) }

    /// Notes a hit.
    /// - Parameter moment: nil without a clock.
    /// - Returns: whether it is time to tell the books.
    @usableFromInline
    mutating func note(_ place: Int, at moment: Duration?) -> Bool {
        if hits.count < Self.most {
            hits.append(Hit(ticks: memory_ticks(), place: place, moment: moment ?? .zero))
        } else {
            unnoted += 1
        }
        return hits.count % Self.batch == 0
    }

    @usableFromInline
    mutating func empty(into heard: inout HeardHits) {
        if hits.isEmpty { return }
        heard.append(hits, andUnnoted: unnoted)
        hits.removeAll(keepingCapacity: true)
        unnoted = 0
    }
}

/// What was found, and when.
struct Hit: Sendable {
    /// When it was, among the hits of all threads.
    let ticks: UInt64
    let place: Int
    /// By the cache's clock, zero without one.
    let moment: Duration
}

/// Hits of all threads, on their way to the books.
@usableFromInline
struct HeardHits: Sendable {
    private static let manyMoments = 2_048

    /// Those of one log after those of the other, each in their order.
    private var hits: [Hit] = []
    /// Where the hits of each log end.
    private var ends: [Int] = []
    private var places: [Int] = []
    private var unnoted = 0
    /// Those whose moments are still to be told.
    private var moments: [Hit] = []

    @usableFromInline
    init() {}

    mutating func append(_ others: [Hit], andUnnoted count: Int) {
        hits += others
        ends.append(hits.count)
        unnoted += count
    }

    /// Whether they should be told now, because they take memory.
    @usableFromInline var hasManyMoments: Bool { moments.count >= Self.manyMoments }

    /// Tells when entries were used, and forgets it.
    /// - Parameter times: by place.
    @usableFromInline
    mutating func tellMoments(to times: inout [EntryTimes]) {
        for hit in moments { times[hit.place].use(at: hit.moment) }
        moments.removeAll(keepingCapacity: true)
    }

    /// Tells of all hits in the order in which they happened, and forgets them but for their moments.
    @usableFromInline
    mutating func tellUses(to ledger: inout CacheLedger, keepingMoments: Bool) {
        if hits.isEmpty { return }
        if keepingMoments { moments += hits }
        if ends.count > 1 { merge() } else { places += hits.lazy.map(\.place) }
        ledger.use(places)
        ledger.noteHits(unnoted)
        unnoted = 0
        places.removeAll(keepingCapacity: true)
        hits.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    private mutating func merge() {
        var next = [0] + ends.dropLast()
        for _ in hits.indices {
            var earliest: Int?
            for log in ends.indices where next[log] < ends[log] {
                if let other = earliest, hits[next[other]].ticks <= hits[next[log]].ticks { continue }
                earliest = log
            }
            guard let earliest else { return }
            places.append(hits[next[earliest]].place)
            next[earliest] += 1
        }
    }
}
