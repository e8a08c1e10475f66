/// Two queues by what it takes to get an entry again, each the least recently used first, and each with a share of the budget
/// of its own: a crowd of entries that are at hand on disk does not push out what would have to come over the network.
///
/// Either may use what the other leaves empty. When room is needed, the one that is above its share gives.
struct TwoBudgetsOrder: EvictionOrder {
    private struct Entry {
        var cost: Int
        var queue: Int
    }

    private let networkShare: Double
    private var queues = PlaceLists<Entry>(count: RefetchCost.allCases.count)
    private var network = QueueFill()
    private var networkLimits = CacheLimits()

    /// - Parameter networkShare: of the budget, for what has to come over the network: 0 to 1.
    init(networkShare: Double) { self.networkShare = min(1, max(0, networkShare)) }

    mutating func setLimits(_ limits: CacheLimits) { networkLimits = limits.share(networkShare) }

    mutating func insert(_ entry: EvictionCandidate, at place: Int) {
        let queue = Int(entry.refetch.rawValue)
        queues.insert(Entry(cost: entry.cost, queue: queue), at: place, to: queue)
        if entry.refetch == .network { network.add(entry.cost) }
    }

    mutating func use(_ place: Int) { queues.move(place, to: queues[place].queue) }

    mutating func remove(_ place: Int) {
        queues.remove(place)
        if queues[place].queue == Int(RefetchCost.network.rawValue) { network.remove(queues[place].cost) }
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        var filled = network
        if let incoming, incoming.refetch == .network { filled.add(incoming.cost) }
        return oldest(startingWith: filled.exceeds(networkLimits) ? .network : .disk)
    }

    var coldest: Int? { oldest(startingWith: network.exceeds(networkLimits) ? .network : .disk) }

    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        queues.foresee(from: coldest, tell)
    }

    private func oldest(startingWith first: RefetchCost) -> Int? {
        let second: RefetchCost = first == .disk ? .network : .disk
        return queues.oldest(in: Int(first.rawValue)) ?? queues.oldest(in: Int(second.rawValue))
    }
}
