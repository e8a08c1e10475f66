import ImageCore
import ImageLoading

/// What shared work is shared by.
enum WorkKey: Hashable, Sendable, CustomStringConvertible {
    case image(ImageJobKey), data(DataJobKey)

    var isPicture: Bool { if case .image = self { true } else { false } }

    var description: String {
        switch self {
        case .image(let key): "picture from \(key.image.source)"
        case .data(let key): "original \(key.source)"
        }
    }
}

/// One run of work that requests share, as the simulation names it.
struct RunID: Hashable, Sendable {
    let rawValue: Int
}

/// The run within which something happens.
enum Surroundings {
    @TaskLocal static var run: RunID?
    /// True in whatever a request does; a prefetch is none.
    @TaskLocal static var isRequest = false
}

/// What the simulation knows of shared work, from what goes through the ports alone, and what must be true of it.
///
/// A waiter counts from its join until the moment of its answer or of its cancellation, whichever comes first.
struct Books: Sendable {
    struct Waiter: Sendable {
        var priority: RequestPriority
        /// The run that asks; nil when a request or a prefetch does.
        var parent: RunID?
        var isPrefetch = false
    }

    struct Run: Sendable {
        var key: WorkKey
        var work: any SharedWork
        var isCancelled = false
        /// It has a task that has not begun yet: whether that was cancelled is seen when it begins.
        var isStarting = false
        var transfers = 0
    }

    struct QueuedWork: Sendable {
        var run: RunID
        var priority: RequestPriority
    }

    private(set) var waiters: [WorkKey: [Int: Waiter]] = [:]
    private(set) var runs: [RunID: Run] = [:]
    private(set) var queue: [WorkID: QueuedWork] = [:]
    /// Work on previews that waits in its lane.
    private var waitingPreviews: Set<WorkID> = []
    private var prefetching = PrefetchBooks()
    private var lastRun = 0
    private var lastWaiter = 0

    var isEmpty: Bool { waiters.isEmpty && runs.isEmpty && queue.isEmpty && waitingPreviews.isEmpty }
    var rootWaiterCount: Int { waiters.values.reduce(0) { $0 + $1.values.count { $0.parent == nil } } }

    // MARK: Coalescers

    /// Returns the waiter's number.
    mutating func joined(_ key: WorkKey, _ waiter: Waiter) -> Int {
        lastWaiter += 1
        waiters[key, default: [:]][lastWaiter] = waiter
        if waiter.isPrefetch { prefetching.joined() }
        return lastWaiter
    }

    /// All who wait for pictures, or all who wait for originals, are answered.
    mutating func closed(pictures: Bool) { waiters = waiters.filter { $0.key.isPicture != pictures } }

    mutating func left(_ key: WorkKey, _ number: Int) {
        waiters[key]?[number] = nil
        if waiters[key]?.isEmpty == true { waiters[key] = nil }
    }

    mutating func reprioritised(_ key: WorkKey, _ number: Int, _ priority: RequestPriority) {
        waiters[key]?[number]?.priority = priority
    }

    mutating func began(_ key: WorkKey, _ work: any SharedWork) -> RunID {
        lastRun += 1
        let id = RunID(rawValue: lastRun)
        runs[id] = Run(key: key, work: work)
        return id
    }

    mutating func starts(_ id: RunID) { runs[id]?.isStarting = true }

    mutating func hasStarted(_ id: RunID) { runs[id]?.isStarting = false }

    mutating func cancelled(_ id: RunID) { runs[id]?.isCancelled = true }

    /// Whoever waits for a run that ends is answered by it.
    mutating func ended(_ id: RunID) {
        guard let run = runs.removeValue(forKey: id), !run.isCancelled else { return }
        waiters[run.key] = nil
    }

    // MARK: Scheduler and transport

    mutating func enqueued(_ id: WorkID, by run: RunID, _ priority: RequestPriority) {
        queue[id] = QueuedWork(run: run, priority: priority)
    }

    mutating func reprioritised(_ id: WorkID, _ priority: RequestPriority) { queue[id]?.priority = priority }

    mutating func dequeued(_ id: WorkID) {
        queue[id] = nil
        waitingPreviews.remove(id)
    }

    mutating func previewEnqueued(_ id: WorkID) { waitingPreviews.insert(id) }

    mutating func previewBegan(_ id: WorkID) { waitingPreviews.remove(id) }

    mutating func transferBegan(_ id: RunID) { runs[id]?.transfers += 1 }

    mutating func transferEnded(_ id: RunID) { runs[id]?.transfers -= 1 }

    // MARK: Prefetchers

    /// - Parameter underWay: how many prefetches are, at most.
    mutating func prefetchingPaused(underWay: Int) { prefetching.pause(joinsLeft: underWay - prefetchesWaiting) }

    mutating func prefetchingGoesOn() { prefetching.pause(joinsLeft: nil) }

    private var prefetchesWaiting: Int { waiters.values.reduce(0) { $0 + $1.values.count(where: \.isPrefetch) } }

    // MARK: Invariants

    /// The first promise that is broken, in words.
    func violation() -> Violation? { violationOfSharing() ?? violationOfPriorities() ?? violationOfBounds() }

    private func violationOfBounds() -> Violation? {
        let pictures = runs.values.count(where: \.key.isPicture)
        if waitingPreviews.count > pictures {
            return Violation(.limits, "\(waitingPreviews.count) previews wait to be made, of \(pictures) pictures")
        }
        return prefetching.violation(prefetchesWaiting)
    }

    private func violationOfSharing() -> Violation? {
        var live: Set<WorkKey> = []
        for run in runs.values where !run.isCancelled && !run.isStarting {
            guard waiters[run.key] != nil else { return Violation(.noWorkForNobody, "\(run.key)") }
            guard live.insert(run.key).inserted else { return Violation(.oneWorkPerKey, "\(run.key)") }
            if run.transfers > 1 { return Violation(.oneWorkPerKey, "\(run.transfers) transfers: \(run.key)") }
        }
        for waiters in waiters.values {
            for waiter in waiters.values {
                guard let parent = waiter.parent, runs[parent]?.isCancelled ?? true else { continue }
                return Violation(.noWorkForNobody, "work that is over waits")
            }
        }
        return nil
    }

    private func violationOfPriorities() -> Violation? {
        let highest = highestPriorities
        for run in runs.values where !run.isCancelled && !run.isStarting {
            guard let wanted = highest[run.key] else { continue }
            if run.work.priority != wanted { return wrong("runs", run.work.priority, wanted, run) }
        }
        for work in queue.values {
            guard let run = runs[work.run], !run.isCancelled, let wanted = highest[run.key] else { continue }
            if work.priority != wanted { return wrong("is queued", work.priority, wanted, run) }
        }
        for waiters in waiters.values {
            for waiter in waiters.values {
                guard let parent = waiter.parent, let run = runs[parent], let wanted = highest[run.key] else {
                    continue
                }
                if waiter.priority != wanted { return wrong("waits", waiter.priority, wanted, run) }
            }
        }
        return nil
    }

    private var highestPriorities: [WorkKey: RequestPriority] {
        waiters.mapValues { waiters in
            var highest = RequestPriority.veryLow
            for waiter in waiters.values where waiter.priority > highest { highest = waiter.priority }
            return highest
        }
    }

    private func wrong(
        _ what: String, _ priority: RequestPriority, _ wanted: RequestPriority, _ run: Run
    ) -> Violation {
        Violation(.highestPriority, "work \(what) at \(priority), its waiters want \(wanted): \(run.key)")
    }
}
