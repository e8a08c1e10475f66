import ImageCore

/// Names one prefetch within its prefetcher; grows with each that is added.
struct PrefetchID: Hashable, Sendable {
    fileprivate(set) var rawValue: UInt64
}

/// What a prefetcher has to do and what it is doing: first come, first served, a bounded number at once. Pure: knows no task and no lock.
///
/// Each operation costs O(1), spread over all of them.
struct PrefetchQueue: Sendable {
    /// What was taken out. Carries the request, if it still waited, so that it can be let go of elsewhere.
    struct Stopped: Sendable {
        var id: PrefetchID
        var prefetch: Prefetch?
    }

    var isPaused = false
    private let limit: Int
    /// What is wanted: waits or is under way, and was not stopped.
    private var open: [Prefetch.Key: PrefetchID] = [:]
    private var waiting: [PrefetchID: Prefetch] = [:]
    /// What has come to its turn and has not ended, stopped or not.
    private var running: [PrefetchID: Prefetch.Key] = [:]
    private var last = PrefetchID(rawValue: 0)
    /// All before this have come to their turn, or will never.
    private var turn = PrefetchID(rawValue: 1)

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { open.count }
    var openIDs: Set<PrefetchID> { Set(open.values) }

    /// True while it is under way and wanted.
    func isUnderWay(_ id: PrefetchID) -> Bool { running[id].map { open[$0] == id } ?? false }

    /// Ignored when there is one with its key.
    mutating func added(_ prefetch: Prefetch) {
        guard open[prefetch.key] == nil else { return }
        last.rawValue += 1
        open[prefetch.key] = last
        waiting[last] = prefetch
    }

    /// What is to start now, if anything may: it is under way then.
    mutating func next() -> (id: PrefetchID, prefetch: Prefetch)? {
        guard !isPaused, running.count < limit else { return nil }
        while turn.rawValue <= last.rawValue {
            defer { turn.rawValue += 1 }
            guard let prefetch = waiting.removeValue(forKey: turn) else { continue }
            running[turn] = prefetch.key
            return (turn, prefetch)
        }
        return nil
    }

    /// Frees its place. False when it had been stopped.
    mutating func ended(_ id: PrefetchID) -> Bool {
        guard let key = running.removeValue(forKey: id), open[key] == id else { return false }
        open[key] = nil
        return true
    }

    /// Nil when there is none of that key. One that is under way keeps its place until it has ended.
    mutating func stopped(_ key: Prefetch.Key) -> Stopped? {
        open.removeValue(forKey: key).map { Stopped(id: $0, prefetch: waiting.removeValue(forKey: $0)) }
    }

    mutating func stoppedAll() -> [Stopped] {
        defer { (open, waiting) = ([:], [:]) }
        return open.values.map { Stopped(id: $0, prefetch: waiting[$0]) }
    }
}

/// Those who wait until all that was open at some moment has ended.
struct PrefetchListeners {
    private struct Listener {
        var id: UInt64
        var awaited: Set<PrefetchID>
        var continuation: CheckedContinuation<Void, Never>
    }

    private var lastID: UInt64 = 0
    private var listeners: [Listener] = []

    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ id: UInt64, awaiting ids: Set<PrefetchID>, _ continuation: CheckedContinuation<Void, Never>) {
        listeners.append(Listener(id: id, awaited: ids, continuation: continuation))
    }

    mutating func remove(_ id: UInt64) -> CheckedContinuation<Void, Never>? {
        listeners.firstIndex { $0.id == id }.map { listeners.remove(at: $0).continuation }
    }

    /// Returns those who wait for nothing any more.
    mutating func ended(_ id: PrefetchID) -> [CheckedContinuation<Void, Never>] {
        for index in listeners.indices { listeners[index].awaited.remove(id) }
        let ready = listeners.filter(\.awaited.isEmpty).map(\.continuation)
        if !ready.isEmpty { listeners.removeAll(where: \.awaited.isEmpty) }
        return ready
    }
}
