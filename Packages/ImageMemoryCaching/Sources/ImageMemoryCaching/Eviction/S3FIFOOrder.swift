/// Evicts from a small queue for new entries and from a main queue for entries that were used again.
///
/// Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023, algorithm 1, with the parameters of
/// libCacheSim. Like it, refuses entries that are larger than the small queue if something must be evicted for them.
struct S3FIFOOrder: EvictionOrder {
    private enum Queue {
        static let small = 0
        static let main = 1
    }

    private static let smallShare = 0.1
    private static let ghostShare = 0.9
    private static let maxUses: UInt8 = 3
    private static let usesForMain: UInt8 = 2

    private var queues = SlotQueues(count: 2)
    private var hashes: [UInt64] = []
    private var uses: [UInt8] = []
    private var ghosts = GhostQueue()
    private var smallLimits = CacheLimits()
    private var mainLimits = CacheLimits()
    private var ghostLimits = CacheLimits()
    private var hasEvicted = false
    /// The hash of the incoming entry, if it was removed from the ghosts before evictions for it.
    private var returning: UInt64?

    mutating func setLimits(_ limits: CacheLimits) {
        smallLimits = limits.share(Self.smallShare)
        mainLimits = limits.subtracting(smallLimits)
        ghostLimits = limits.share(Self.ghostShare)
    }

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        hashes.set(entry.hash, at: slot)
        uses.set(0, at: slot)
        queues.append(slot, cost: entry.cost, to: queue(for: entry))
    }

    mutating func use(_ slot: Int) { uses[slot] = min(uses[slot] + 1, Self.maxUses) }

    mutating func remove(_ slot: Int) { queues.remove(slot) }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        if let incoming, smallLimits.cost > 0, incoming.cost > smallLimits.cost { return nil }
        hasEvicted = true
        if let incoming, ghosts.remove(incoming.hash) { returning = incoming.hash }
        while queues.oldest(in: Queue.main) != nil || queues.oldest(in: Queue.small) != nil {
            if let slot = isMainNext ? victimInMain() : victimInSmall() { return slot }
        }
        return nil
    }

    private var isMainNext: Bool {
        queues.fill(of: Queue.main).exceeds(mainLimits) || queues.oldest(in: Queue.small) == nil
    }

    /// Returns the main queue for entries that return soon after their eviction, and for new ones while the small queue
    /// is full and nothing was evicted yet.
    private mutating func queue(for entry: EvictionCandidate) -> Int {
        defer { returning = nil }
        if returning == entry.hash || ghosts.remove(entry.hash) { return Queue.main }
        return !hasEvicted && queues.fill(of: Queue.small).reaches(smallLimits) ? Queue.main : Queue.small
    }

    private mutating func victimInSmall() -> Int? {
        while let slot = queues.oldest(in: Queue.small) {
            guard uses[slot] >= Self.usesForMain else {
                ghosts.append(hashes[slot], cost: queues.cost(of: slot), limits: ghostLimits)
                return slot
            }
            uses[slot] = 0
            queues.move(slot, to: Queue.main)
        }
        return nil
    }

    private mutating func victimInMain() -> Int? {
        while let slot = queues.oldest(in: Queue.main) {
            guard uses[slot] > 0 else { return slot }
            uses[slot] -= 1
            queues.move(slot, to: Queue.main)
        }
        return nil
    }
}
