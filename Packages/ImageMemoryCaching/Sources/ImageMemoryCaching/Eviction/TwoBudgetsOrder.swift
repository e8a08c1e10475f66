import ImageCore

/// Evicts by LRU from two queues, one for transient and one for persistent entries.
///
/// Each queue has a share of the limits and can use the rest of the other share. If the persistent entries exceed their
/// share, they are evicted first, otherwise the transient ones.
struct TwoBudgetsOrder: EvictionOrder {
    private let persistentShare: Double
    private var queues = SlotQueues(count: 2)
    private var persistentLimits = CacheLimits()

    /// - Parameter persistentShare: 0 to 1.
    init(persistentShare: Double) { self.persistentShare = min(1, max(0, persistentShare)) }

    mutating func setLimits(_ limits: CacheLimits) { persistentLimits = limits.share(persistentShare) }

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        queues.append(slot, cost: entry.cost, to: queue(of: entry.retention))
    }

    mutating func use(_ slot: Int) { queues.move(slot, to: queues.queue(of: slot)) }

    mutating func remove(_ slot: Int) { queues.remove(slot) }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        let transient = queues.oldest(in: queue(of: .transient))
        let persistent = queues.oldest(in: queue(of: .persistent))
        var fill = queues.fill(of: queue(of: .persistent))
        if let incoming, incoming.retention == .persistent { fill = fill.adding(incoming.cost) }
        return fill.exceeds(persistentLimits) ? persistent ?? transient : transient ?? persistent
    }

    private func queue(of retention: MemoryRetention) -> Int { retention == .transient ? 0 : 1 }
}
