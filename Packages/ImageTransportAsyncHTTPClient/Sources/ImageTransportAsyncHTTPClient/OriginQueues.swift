/// Queues transfers until there can be a connection to their origin. Pure: no lock, no thread.
///
/// The client counts the time in its own queue as time to connect. If an origin may support HTTP/2, the first transfer
/// starts alone until it is connected. After an HTTP/2 response, transfers to the origin no longer wait.
struct OriginQueues<Transfer> {
    private struct Queue {
        var active = 0
        var isUnknown: Bool
        var isMultiplexed = false
        var waiting: ArraySlice<Transfer> = []
    }

    private let limit: Int
    private var queues: [String: Queue] = [:]

    init(limit: Int) { self.limit = max(1, limit) }

    /// The number of origins with transfers.
    var count: Int { queues.count }

    /// Adds a transfer. Like the other methods, returns the transfers that may start now.
    mutating func enter(_ transfer: Transfer, origin: String, mayMultiplex: Bool) -> [Transfer] {
        queues[origin, default: Queue(isUnknown: mayMultiplex)].waiting.append(transfer)
        return release(origin)
    }

    /// Handles that the first transfer to an origin is connected or has failed.
    mutating func connectionAttemptEnded(to origin: String) -> [Transfer] {
        queues[origin]?.isUnknown = false
        return release(origin)
    }

    /// Handles an HTTP/2 response from an origin.
    mutating func answeredOverHTTP2(from origin: String) -> [Transfer] {
        queues[origin]?.isMultiplexed = true
        return release(origin)
    }

    /// Handles the end of a transfer that was started.
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
