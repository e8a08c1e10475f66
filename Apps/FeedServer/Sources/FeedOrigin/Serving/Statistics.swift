import Synchronization

/// Counts what was asked and sent. `reset` forgets everything but the connections that are open.
final class Statistics: Sendable {
    struct Counts: Hashable {
        var requests = 0
        /// Bytes given to the sockets, heads included.
        var bytes = 0
        /// Answers that the client did not wait for the end of.
        var abandoned = 0
        var connections = 0
        var open = 0
        /// By status; 0 stands for no status at all, as after a reset.
        var statuses: [Int: Int] = [:]
        var paths: [String: Int] = [:]
        var attempts: [String: Int] = [:]
    }

    /// Targets beyond this number are counted in the sums only.
    private static let largestTable = 20_000

    private let counts = Mutex(Counts())

    var snapshot: Counts { counts.withLock { $0 } }

    /// Notes a request and returns which one for its target it is, from 1.
    func began(_ request: HTTPRequest) -> Int {
        counts.withLock { counts in
            counts.requests += 1
            if counts.paths.count < Self.largestTable { counts.paths[request.path, default: 0] += 1 }
            guard counts.attempts.count < Self.largestTable else { return 1 }
            counts.attempts[request.target, default: 0] += 1
            return counts.attempts[request.target, default: 1]
        }
    }

    func ended(status: Int, bytes: Int, isAbandoned: Bool) {
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
