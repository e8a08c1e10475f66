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
    private var wanted: [OperationKey: (id: PrefetchID, request: RequestKey)] = [:]
    /// Their keys by request: the account and the variants of a loader can have changed since they were added.
    private var keys: [RequestKey: Set<OperationKey>] = [:]
    private var waiting: [PrefetchID: Prefetch] = [:]
    /// The prefetches that have started and not ended, including stopped ones.
    private var running: [PrefetchID: OperationKey] = [:]
    private var last: PrefetchID = 0
    private var next: PrefetchID = 1

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { wanted.count }

    /// Returns whether a prefetch runs and was not stopped.
    func isRunning(_ id: PrefetchID) -> Bool { running[id].map { wanted[$0]?.id == id } ?? false }

    /// Adds a prefetch, unless there is one with the same key.
    mutating func add(_ prefetch: Prefetch) {
        guard wanted[prefetch.key] == nil else { return }
        last += 1
        wanted[prefetch.key] = (last, prefetch.requestKey)
        keys[prefetch.requestKey, default: []].insert(prefetch.key)
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
        guard let key = running.removeValue(forKey: id), wanted[key]?.id == id else { return false }
        remove(key)
        return true
    }

    /// Stops the prefetches of a request. Those that run count against the limit until they have ended.
    mutating func stop(_ prefetch: Prefetch) -> [Stopped] {
        (keys[prefetch.requestKey] ?? []).union([prefetch.key]).compactMap { key in
            remove(key).map { ($0, waiting.removeValue(forKey: $0)) }
        }
    }

    mutating func stopAll() -> [Stopped] {
        defer {
            wanted = [:]
            keys = [:]
            waiting = [:]
        }
        return wanted.values.map { ($0.id, waiting[$0.id]) }
    }

    @discardableResult
    private mutating func remove(_ key: OperationKey) -> PrefetchID? {
        guard let (id, request) = wanted.removeValue(forKey: key) else { return nil }
        keys[request]?.remove(key)
        if keys[request]?.isEmpty == true { keys[request] = nil }
        return id
    }
}
