import ImageCore

/// The waiting work of one lane in one order, smallest rank first, with the work of full hosts set aside.
///
/// A heap per host, and a heap of the hosts that may start something, ranked by their first work: whatever a host's
/// limit, finding the first work that may start never walks over work that may not. Every change costs O(log n).
struct WaitingLine: Sendable {
    private var queues: [String?: IndexedHeap<WorkID>] = [:]
    private var openHosts = IndexedHeap<String?>()

    /// The first work whose host may start something.
    var first: WorkID? {
        guard let host = openHosts.first else { return nil }
        return queues[host]?.first
    }

    /// Inserts work, or moves it when it is there already.
    mutating func set(_ id: WorkID, rank: UInt64, host: String?, hostIsOpen: Bool) {
        queues[host, default: IndexedHeap()].set(id, rank: rank)
        refresh(host, isOpen: hostIsOpen)
    }

    mutating func remove(_ id: WorkID, host: String?, hostIsOpen: Bool) {
        queues[host]?.remove(id)
        refresh(host, isOpen: hostIsOpen)
    }

    /// Says whether the host may start something, and ranks it by its first work.
    mutating func refresh(_ host: String?, isOpen: Bool) {
        guard let rank = queues[host]?.firstRank else {
            queues[host] = nil
            openHosts.remove(host)
            return
        }
        if isOpen { openHosts.set(host, rank: rank) } else { openHosts.remove(host) }
    }
}
