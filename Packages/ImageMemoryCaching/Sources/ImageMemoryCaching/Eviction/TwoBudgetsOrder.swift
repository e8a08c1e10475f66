import ImageCore

/// Evicts by LRU from two queues, one for expendable and one for preferred entries.
///
/// Each queue has a share of the limits and can use the rest of the other share. If the preferred entries exceed their
/// share, they are evicted first, otherwise the expendable ones.
struct TwoBudgetsOrder: EvictionOrder {
    private let preferredShare: Double
    private var queues = SlotQueues(count: 2)
    private var preferredLimits = CacheLimits()

    /// - Parameter preferredShare: 0 to 1.
    init(preferredShare: Double) { self.preferredShare = min(1, max(0, preferredShare)) }

    mutating func setLimits(_ limits: CacheLimits) { preferredLimits = limits.share(preferredShare) }

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        queues.append(slot, cost: entry.cost, to: queue(of: entry.retention))
    }

    mutating func use(_ slot: Int) { queues.move(slot, to: queues.queue(of: slot)) }

    mutating func remove(_ slot: Int) { queues.remove(slot) }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        let expendable = queues.oldest(in: queue(of: .expendable))
        let preferred = queues.oldest(in: queue(of: .preferred))
        var fill = queues.fill(of: queue(of: .preferred))
        if let incoming, incoming.retention == .preferred { fill = fill.adding(incoming.cost) }
        return fill.exceeds(preferredLimits) ? preferred ?? expendable : expendable ?? preferred
    }

    private func queue(of retention: MemoryRetention) -> Int { retention == .expendable ? 0 : 1 }
}
