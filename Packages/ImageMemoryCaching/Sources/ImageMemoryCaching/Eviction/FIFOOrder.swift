/// What came first goes first, used or not.
struct FIFOOrder: EvictionOrder {
    private var queue = PlaceLists<Void>(count: 1)

    mutating func setLimits(_ limits: CacheLimits) {}
    mutating func insert(_ entry: EvictionCandidate, at place: Int) { queue.insert(place, to: 0) }
    mutating func use(_ place: Int) {}
    mutating func remove(_ place: Int) { queue.remove(place) }
    mutating func victim(for incoming: EvictionCandidate?) -> Int? { coldest }
    var coldest: Int? { queue.oldest(in: 0) }

    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        queue.foresee(from: coldest, tell)
    }
}
