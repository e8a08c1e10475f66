/// Queues transfers until there can be a connection to their server. Pure: no lock, no thread.
///
/// The client counts the time in its own queue as time to connect. If a server may support HTTP/2, the first transfer
/// starts alone until it is connected. After an HTTP/2 response, transfers to the server no longer wait.
struct ServerQueues<Transfer> {
    private struct Queue {
        var active = 0
        var isUnknown: Bool
        var isMultiplexed = false
        /// Since when a transfer has waited and nothing has arrived from the server.
        var silentSince: Int64?
        var waiting: ArraySlice<Transfer> = []
    }

    private let limit: Int
    private var queues: [String: Queue] = [:]

    init(limit: Int) { self.limit = max(1, limit) }

    /// The number of servers with transfers.
    var count: Int { queues.count }

    /// Adds a transfer. Like the other methods, returns the transfers that may start now.
    mutating func enter(_ transfer: Transfer, server: String, mayMultiplex: Bool) -> [Transfer] {
        queues[server, default: Queue(isUnknown: mayMultiplex)].waiting.append(transfer)
        return release(server)
    }

    /// Handles that the first transfer to a server is connected or has failed.
    mutating func connectionAttemptEnded(to server: String) -> [Transfer] {
        queues[server]?.isUnknown = false
        return release(server)
    }

    /// Handles an HTTP/2 response from a server.
    mutating func answeredOverHTTP2(from server: String) -> [Transfer] {
        queues[server]?.isMultiplexed = true
        return release(server)
    }

    /// Handles the end of a transfer that was started.
    mutating func leave(_ server: String) -> [Transfer] {
        queues[server]?.active -= 1
        return release(server)
    }

    // MARK: Silence, in milliseconds

    /// Handles that a transfer waits for bytes.
    mutating func waits(for server: String, now: Int64) {
        if queues[server]?.silentSince == nil { queues[server]?.silentSince = now }
    }

    mutating func bytesArrived(from server: String) { queues[server]?.silentSince = nil }

    /// Returns whether a server has been silent for the limit, or for a second if only one transfer waits for it.
    func isDead(_ server: String, stallLimit: Int64, now: Int64) -> Bool {
        guard let queue = queues[server], let since = queue.silentSince else { return false }
        return now - since >= (queue.active == 1 ? min(stallLimit, 1000) : stallLimit)
    }

    private mutating func release(_ server: String) -> [Transfer] {
        guard var queue = queues.removeValue(forKey: server) else { return [] }
        let allowed = queue.isMultiplexed ? Int.max : queue.isUnknown ? 1 : limit
        let released = queue.waiting.prefix(max(0, allowed - queue.active))
        queue.waiting = queue.waiting.dropFirst(released.count)
        queue.active += released.count
        if queue.active > 0 { queues[server] = queue }
        return Array(released)
    }
}
