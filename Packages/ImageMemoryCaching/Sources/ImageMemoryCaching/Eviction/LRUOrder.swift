/// What was used least recently goes first.
struct LRUOrder: EvictionOrder {
    private var lists = PlaceLists<Void>(count: 1)

    mutating func setLimits(_ limits: CacheLimits) {}
    mutating func insert(_ entry: EvictionCandidate, at place: Int) { lists.insert(place, to: 0) }
    mutating func use(_ place: Int) { lists.move(place, to: 0) }
    mutating func remove(_ place: Int) { lists.remove(place) }
    mutating func victim(for incoming: EvictionCandidate?) -> Int? { lists.oldest(in: 0) }
    var coldest: Int? { lists.oldest(in: 0) }

    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        lists.foresee(from: coldest, tell)
    }
}
