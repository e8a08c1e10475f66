import Synchronization

/// Counts requests and responses. `reset` sets everything to zero except the number of open connections.
final class Statistics: Sendable {
    struct Counts: Hashable {
        var requests = 0
        /// The number of bytes sent, including heads.
        var bytes = 0
        /// The number of responses that the client did not receive completely.
        var abandoned = 0
        /// The total number of connections.
        var connections = 0
        /// The number of open connections.
        var open = 0
        /// The number of responses by status. 0 means that no status was sent.
        var statuses: [Int: Int] = [:]
        var paths: [String: Int] = [:]
        var attempts: [String: Int] = [:]
    }

    /// The maximum number of paths and targets that are counted individually.
    private static let maximumTableCount = 20_000

    private let counts = Mutex(Counts())

    var snapshot: Counts { counts.withLock { $0 } }

    /// Counts a request. Returns the number of requests for its target so far, including this one.
    func recordRequest(_ request: HTTPRequest) -> Int {
        counts.withLock { counts in
            counts.requests += 1
            if counts.paths.count < Self.maximumTableCount { counts.paths[request.path, default: 0] += 1 }
            guard counts.attempts.count < Self.maximumTableCount else { return 1 }
            counts.attempts[request.target, default: 0] += 1
            return counts.attempts[request.target, default: 1]
        }
    }

    func recordResponse(status: Int, bytes: Int, isAbandoned: Bool) {
        counts.withLock { counts in
            counts.bytes += bytes
            counts.statuses[status, default: 0] += 1
            if isAbandoned { counts.abandoned += 1 }
        }
    }

    func connectionOpened() {
        counts.withLock { counts in
            counts.connections += 1
            counts.open += 1
        }
    }

    func connectionClosed() { counts.withLock { $0.open -= 1 } }

    func reset() {
        counts.withLock { counts in
            let open = counts.open
            counts = Counts()
            counts.open = open
        }
    }

    var json: String {
        let counts = snapshot
        let statuses = counts.statuses.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
        let paths = counts.paths.sorted { $0.key < $1.key }.map { #""\#(escaped($0.key))":\#($0.value)"# }
        return #"{"requests":\#(counts.requests),"bytes":\#(counts.bytes),"abandoned":\#(counts.abandoned),"#
            + #""connections":{"open":\#(counts.open),"total":\#(counts.connections)},"#
            + #""statuses":{\#(statuses.joined(separator: ","))},"paths":{\#(paths.joined(separator: ","))}}"#
    }
}
