/// Decides which work starts, so that origins share a limit. It knows no time and no tasks.
///
/// An origin alone can use the whole limit. If work of several waits, the origin with the least in progress is next,
/// and among equals the one whose last start is the longest ago. Work of one origin starts in the order of arrival.
struct FairQueue<Waiter: Sendable>: Sendable {
    private struct Origin {
        var running = 0
        /// The work that waits, oldest first.
        var waiting: [(id: Int, waiter: Waiter)] = []
        /// The number of its last start, where all starts of the queue are counted; 0 if it had none.
        var lastStart = 0

        /// The origin with the lowest one is next.
        var precedence: (Int, Int, Int) { (running, lastStart, waiting.first?.id ?? 0) }
    }

    private let limit: Int
    private let lentLimit: Int
    private var origins: [String: Origin] = [:]
    private var starts = 0
    private(set) var runningCount = 0
    private(set) var waitingCount = 0

    /// - Parameters:
    ///   - limit: The most work in progress, unless the queue lends.
    ///   - lends: Whether work starts beyond the limit for an origin with less in progress than its share, which is the
    ///     limit divided by the number of origins, and at least 1. So an origin needn't wait for others that are slow.
    ///     At most twice the limit is in progress.
    init(limit: Int, lends: Bool) {
        self.limit = max(1, limit)
        lentLimit = lends ? max(1, limit) * 2 : 0
    }

    /// Starts work of an origin, and returns true, unless it has to wait.
    mutating func start(_ origin: String) -> Bool {
        var state = origins[origin] ?? Origin()
        let count = origins[origin] == nil ? origins.count + 1 : origins.count
        guard state.waiting.isEmpty, mayStart(state, originCount: count) else { return false }
        noteStart(&state)
        origins[origin] = state
        return true
    }

    /// Adds work that waits. If more than `most` waits then, removes and returns the newest work of the origin with the
    /// most waiting, so that one origin can't fill the queue. If no origin has more waiting, that is the added work.
    mutating func wait(_ id: Int, _ waiter: Waiter, _ origin: String, most: Int) -> Waiter? {
        origins[origin, default: Origin()].waiting.append((id, waiter))
        waitingCount += 1
        guard waitingCount > most else { return nil }
        let own = origins[origin]?.waiting.count ?? 0
        let longest = origins.max { $0.value.waiting.count < $1.value.waiting.count }
        guard let longest, longest.value.waiting.count > own, let last = longest.value.waiting.last else {
            return remove(id, origin)
        }
        return remove(last.id, longest.key)
    }

    /// Removes work that waits. Returns nil if it has started or was removed before.
    mutating func remove(_ id: Int, _ origin: String) -> Waiter? {
        guard let index = origins[origin]?.waiting.firstIndex(where: { $0.id == id }) else { return nil }
        let waiter = origins[origin]?.waiting.remove(at: index).waiter
        waitingCount -= 1
        forgetIfIdle(origin)
        return waiter
    }

    /// Ends work of an origin. Returns the work that starts now.
    mutating func finish(_ origin: String) -> [Waiter] {
        origins[origin]?.running -= 1
        runningCount -= 1
        forgetIfIdle(origin)
        return startable()
    }

    /// Starts what may start now, and returns it.
    mutating func startable() -> [Waiter] {
        var started: [Waiter] = []
        while let (name, origin) = next, mayStart(origin, originCount: origins.count) {
            var state = origin
            started.append(state.waiting.removeFirst().waiter)
            waitingCount -= 1
            noteStart(&state)
            origins[name] = state
        }
        return started
    }

    /// The origin whose work starts next.
    private var next: (String, Origin)? {
        origins.lazy.filter { !$0.value.waiting.isEmpty }
            .min { $0.value.precedence < $1.value.precedence }
            .map { ($0.key, $0.value) }
    }

    private func mayStart(_ origin: Origin, originCount: Int) -> Bool {
        if runningCount < limit { return true }
        return runningCount < lentLimit && origin.running < max(1, limit / originCount)
    }

    private mutating func noteStart(_ origin: inout Origin) {
        starts += 1
        origin.lastStart = starts
        origin.running += 1
        runningCount += 1
    }

    private mutating func forgetIfIdle(_ name: String) {
        if let origin = origins[name], origin.running == 0, origin.waiting.isEmpty { origins[name] = nil }
    }
}
