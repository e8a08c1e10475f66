/// Entries in the order of their coming, a bit for each that was used, and a hand that clears bits on its way from old to new
/// and takes the first entry that has none: Zhang et al., NSDI 2024, algorithm 1.
struct SIEVEOrder: EvictionOrder {
    private var queue = PlaceLists<Void>(count: 1)
    private var isUsed: [Bool] = []
    /// Where the search goes on; nil for the oldest.
    private var hand: Int?

    mutating func setLimits(_ limits: CacheLimits) {}

    mutating func insert(_ entry: EvictionCandidate, at place: Int) {
        isUsed.set(false, at: place)
        queue.insert(place, to: 0)
    }

    mutating func use(_ place: Int) { isUsed[place] = true }

    mutating func remove(_ place: Int) {
        if hand == place { hand = queue.newer(than: place) }
        queue.remove(place)
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        guard var place = coldest else { return nil }
        while isUsed[place] {
            isUsed[place] = false
            place = queue.newer(than: place) ?? queue.oldest(in: 0) ?? place
        }
        hand = place
        return place
    }

    var coldest: Int? { hand ?? queue.oldest(in: 0) }

    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        queue.foresee(from: coldest, tell)
    }
}
