/// The waiting work of a lane, smallest rank first. A change takes O(log n) time.
///
/// It has a heap for each host, and a heap of the hosts below their limit, ranked by their first work. So `first` never
/// searches work of hosts at their limit.
struct WaitingQueue: Sendable {
    private var queues: [String?: IndexedHeap<WorkID>] = [:]
    private var openHosts = IndexedHeap<String?>()

    /// The first work whose host is below its limit.
    var first: WorkID? {
        guard let host = openHosts.first else { return nil }
        return queues[host]?.first
    }

    /// Inserts work, or changes its rank.
    mutating func set(_ id: WorkID, rank: UInt64, host: String?, hostIsOpen: Bool) {
        queues[host, default: IndexedHeap()].set(id, rank: rank)
        refresh(host, isOpen: hostIsOpen)
    }

    mutating func remove(_ id: WorkID, host: String?, hostIsOpen: Bool) {
        queues[host]?.remove(id)
        refresh(host, isOpen: hostIsOpen)
    }

    /// Updates whether a host is below its limit, and the rank of its first work.
    mutating func refresh(_ host: String?, isOpen: Bool) {
        guard let rank = queues[host]?.firstRank else {
            queues[host] = nil
            openHosts.remove(host)
            return
        }
        if isOpen { openHosts.set(host, rank: rank) } else { openHosts.remove(host) }
    }
}
