/// The waiting work of a lane, or a part of it, in two orders.
struct WaitingWork: Sendable {
    private(set) var byPriority = WaitingQueue()
    private(set) var byArrival = WaitingQueue()

    mutating func set(_ id: WorkID, rank: UInt64, server: String?, serverIsOpen: Bool) {
        byPriority.set(id, rank: rank, server: server, serverIsOpen: serverIsOpen)
        byArrival.set(id, rank: id, server: server, serverIsOpen: serverIsOpen)
    }

    mutating func remove(_ id: WorkID, server: String?, serverIsOpen: Bool) {
        byPriority.remove(id, server: server, serverIsOpen: serverIsOpen)
        byArrival.remove(id, server: server, serverIsOpen: serverIsOpen)
    }

    mutating func refresh(_ server: String?, isOpen: Bool) {
        byPriority.refresh(server, isOpen: isOpen)
        byArrival.refresh(server, isOpen: isOpen)
    }
}

/// The waiting work of a lane, smallest rank first. A change takes O(log n) time.
///
/// It has a heap for each server, and a heap of the servers below their limit, ranked by their first work. So `first`
/// never searches work of servers at their limit.
struct WaitingQueue: Sendable {
    private var queues: [String?: IndexedHeap<WorkID>] = [:]
    private var openServers = IndexedHeap<String?>()

    /// The first work whose server is below its limit.
    var first: WorkID? {
        guard let server = openServers.first else { return nil }
        return queues[server]?.first
    }

    /// Inserts work, or changes its rank.
    mutating func set(_ id: WorkID, rank: UInt64, server: String?, serverIsOpen: Bool) {
        queues[server, default: IndexedHeap()].set(id, rank: rank)
        refresh(server, isOpen: serverIsOpen)
    }

    mutating func remove(_ id: WorkID, server: String?, serverIsOpen: Bool) {
        queues[server]?.remove(id)
        refresh(server, isOpen: serverIsOpen)
    }

    /// Updates whether a server is below its limit, and the rank of its first work.
    mutating func refresh(_ server: String?, isOpen: Bool) {
        guard let rank = queues[server]?.firstRank else {
            queues[server] = nil
            openServers.remove(server)
            return
        }
        if isOpen { openServers.set(server, rank: rank) } else { openServers.remove(server) }
    }
}
