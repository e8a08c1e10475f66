/// What was used least recently goes first.
final class LRUOrder: EvictionOrder {
    private var lists = PlaceLists(count: 1)

    func setLimits(_ limits: CacheLimits) {}
    func insert(_ entry: EvictionCandidate, at place: Int) { lists.append(place, to: 0) }
    func use(_ place: Int) { lists.move(place, to: 0) }
    func remove(_ place: Int) { lists.remove(place) }
    func victim(for incoming: EvictionCandidate?) -> Int? { lists.oldest(in: 0) }
    var coldest: Int? { lists.oldest(in: 0) }
}
