import ImageCore

/// Identifies a prefetch within its prefetcher, in order of arrival.
typealias PrefetchID = UInt64

/// The waiting and running prefetches of a prefetcher, in order of arrival. Each operation takes O(1) time.
struct PrefetchQueue: Sendable {
    /// A removed prefetch. It includes the request if it was waiting, so that it can be released without a lock.
    typealias Stopped = (id: PrefetchID, prefetch: Prefetch?)

    var isPaused = false
    private let limit: Int
    /// The waiting and running prefetches that were not stopped.
    private var wanted: [OperationKey: PrefetchID] = [:]
    private var waiting: [PrefetchID: Prefetch] = [:]
    /// The prefetches that have started and not ended, including stopped ones.
    private var running: [PrefetchID: OperationKey] = [:]
    private var last: PrefetchID = 0
    private var next: PrefetchID = 1

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { wanted.count }

    /// Returns whether a prefetch runs and was not stopped.
    func isRunning(_ id: PrefetchID) -> Bool { running[id].map { wanted[$0] == id } ?? false }

    /// Adds a prefetch, unless there is one with the same key.
    mutating func add(_ prefetch: Prefetch) {
        guard wanted[prefetch.key] == nil else { return }
        last += 1
        wanted[prefetch.key] = last
        waiting[last] = prefetch
    }

    /// Returns the next prefetch to start, or nil if none may start.
    mutating func start() -> (id: PrefetchID, prefetch: Prefetch)? {
        guard !isPaused, running.count < limit else { return nil }
        while next <= last {
            defer { next += 1 }
            guard let prefetch = waiting.removeValue(forKey: next) else { continue }
            running[next] = prefetch.key
            return (next, prefetch)
        }
        return nil
    }

    /// Removes a prefetch that has ended. Returns false if it was stopped.
    mutating func end(_ id: PrefetchID) -> Bool {
        guard let key = running.removeValue(forKey: id), wanted[key] == id else { return false }
        wanted[key] = nil
        return true
    }

    /// Stops a prefetch. If it runs, it counts against the limit until it has ended.
    mutating func stop(_ key: OperationKey) -> Stopped? {
        wanted.removeValue(forKey: key).map { ($0, waiting.removeValue(forKey: $0)) }
    }

    mutating func stopAll() -> [Stopped] {
        defer {
            wanted = [:]
            waiting = [:]
        }
        return wanted.values.map { ($0, waiting[$0]) }
    }
}
