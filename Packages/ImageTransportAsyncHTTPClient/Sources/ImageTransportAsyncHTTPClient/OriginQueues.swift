/// Which transfers may begin, and which wait for a connection to their origin. Pure: no lock, no thread.
///
/// The client has a limit of its own, but it counts time in its queue as time to connect. So no more transfers are let go than
/// there can be connections. The first to an origin that may speak HTTP/2 goes ahead alone until it is connected, so that the others
/// share its connection; once an origin has answered over HTTP/2, nobody waits here.
struct OriginQueues<Transfer> {
    private struct Queue {
        var active = 0
        var isUnknown: Bool
        var isMultiplexed = false
        var waiting: ArraySlice<Transfer> = []
    }

    private let limit: Int
    private var queues: [String: Queue] = [:]

    /// - Parameter limit: connections to one origin at once.
    init(limit: Int) { self.limit = max(1, limit) }

    /// How many origins are kept in mind.
    var count: Int { queues.count }

    /// Each method returns the transfers that may begin now.
    mutating func enter(_ transfer: Transfer, origin: String, mayMultiplex: Bool) -> [Transfer] {
        queues[origin, default: Queue(isUnknown: mayMultiplex)].waiting.append(transfer)
        return release(origin)
    }

    /// A transfer that may have gone ahead alone is connected, or has failed to.
    mutating func connectionDecided(to origin: String) -> [Transfer] {
        queues[origin]?.isUnknown = false
        return release(origin)
    }

    mutating func answeredOverHTTP2(from origin: String) -> [Transfer] {
        queues[origin]?.isMultiplexed = true
        return release(origin)
    }

    /// A transfer that was let go has ended.
    mutating func leave(_ origin: String) -> [Transfer] {
        queues[origin]?.active -= 1
        return release(origin)
    }

    private mutating func release(_ origin: String) -> [Transfer] {
        guard var queue = queues.removeValue(forKey: origin) else { return [] }
        let allowed = queue.isMultiplexed ? Int.max : queue.isUnknown ? 1 : limit
        let released = queue.waiting.prefix(max(0, allowed - queue.active))
        queue.waiting = queue.waiting.dropFirst(released.count)
        queue.active += released.count
        if queue.active > 0 { queues[origin] = queue }
        return Array(released)
    }
}
