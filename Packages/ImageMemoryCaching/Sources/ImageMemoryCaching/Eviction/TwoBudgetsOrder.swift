/// Evicts by LRU from two queues, one for entries on disk and one for entries that must be downloaded.
///
/// Each queue has a share of the limits and can use the rest of the other share. If the network queue exceeds its
/// share, its entries are evicted first, otherwise those of the disk queue.
struct TwoBudgetsOrder: EvictionOrder {
    private let networkShare: Double
    private var queues = CostedQueues(count: RefetchCost.allCases.count)
    private var networkLimits = CacheLimits()

    /// - Parameter networkShare: 0 to 1.
    init(networkShare: Double) { self.networkShare = min(1, max(0, networkShare)) }

    mutating func setLimits(_ limits: CacheLimits) { networkLimits = limits.share(networkShare) }

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        queues.append(slot, cost: entry.cost, to: Int(entry.refetch.rawValue))
    }

    mutating func use(_ slot: Int) { queues.move(slot, to: queues.queue(of: slot)) }

    mutating func remove(_ slot: Int) { queues.remove(slot) }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        guard let incoming, incoming.refetch == .network else { return coldest }
        return oldest(networkFill: networkFill.adding(incoming.cost))
    }

    var coldest: Int? { oldest(networkFill: networkFill) }

    private var networkFill: QueueFill { queues.fill(of: Int(RefetchCost.network.rawValue)) }

    private func oldest(networkFill: QueueFill) -> Int? {
        let disk = queues.oldest(in: Int(RefetchCost.disk.rawValue))
        let network = queues.oldest(in: Int(RefetchCost.network.rawValue))
        return networkFill.exceeds(networkLimits) ? network ?? disk : disk ?? network
    }
}
