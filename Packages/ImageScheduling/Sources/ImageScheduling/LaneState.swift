import ImageCore

/// Identifies work that waits, in the order of arrival.
typealias WorkID = UInt64

/// One lane: what waits, what runs, and what may start after each event. Takes no lock and is passed the time.
struct LaneState: Sendable {
    private(set) var limit: Int
    private let perHostLimit: Int?
    private let order: LaneConfiguration.Order
    private let overtakeLimit: Int?
    private var isSuspended = false
    private var bucket: TokenBucket?
    /// Whether a call of `wakeUp` is due.
    private var isWaking = false
    private(set) var runningCount = 0
    private var runningByHost: [String: Int] = [:]
    /// The host of each work that waits.
    private var waiting: [WorkID: String?] = [:]
    private var byPriority = WaitingLine()
    private var byArrival = WaitingLine()
    /// How many starts in a row have passed over the oldest work that could have started.
    private var overtakes = 0

    init(_ configuration: LaneConfiguration, overtakeLimit: Int?) {
        limit = max(0, configuration.limit)
        perHostLimit = configuration.perHostLimit.map { max(1, $0) }
        order = configuration.order
        bucket = configuration.startRate.map(TokenBucket.init)
        self.overtakeLimit = overtakeLimit.map { max(0, $0) }
    }

    var waitingCount: Int { waiting.count }

    /// Starts work at once, and returns false if it must wait in turn.
    mutating func startAtOnce(host: String?, at now: Duration) -> Bool {
        guard waiting.isEmpty, hasFreeSlot, isOpen(host), bucket?.wait(at: now) == nil else { return false }
        overtakes = 0
        occupy(host)
        return true
    }

    // Each event below returns the work that starts now, in order.

    mutating func add(_ id: WorkID, priority: RequestPriority, host: String?, at now: Duration = .zero) -> [WorkID] {
        waiting[id] = .some(host)
        let isOpen = isOpen(host)
        byPriority.set(id, rank: rank(of: id, priority), host: host, hostIsOpen: isOpen)
        byArrival.set(id, rank: id, host: host, hostIsOpen: isOpen)
        return start(at: now)
    }

    /// - Parameter wasCancelled: Whether the work was started in vain, which costs a token.
    mutating func finish(host: String?, wasCancelled: Bool = false, at now: Duration = .zero) -> [WorkID] {
        runningCount -= 1
        if let host {
            let others = runningByHost[host, default: 1] - 1
            runningByHost[host] = others > 0 ? others : nil
        }
        if wasCancelled { bucket?.take(at: now) }
        if waiting.isEmpty { return [] }
        byPriority.refresh(host, isOpen: isOpen(host))
        byArrival.refresh(host, isOpen: isOpen(host))
        return start(at: now)
    }

    mutating func setLimit(_ limit: Int, at now: Duration = .zero) -> [WorkID] {
        self.limit = max(0, limit)
        return start(at: now)
    }

    mutating func setSuspended(_ isSuspended: Bool, at now: Duration = .zero) -> [WorkID] {
        self.isSuspended = isSuspended
        return start(at: now)
    }

    /// A token may have come back.
    mutating func wakeUp(at now: Duration) -> [WorkID] {
        isWaking = false
        return start(at: now)
    }

    /// Work keeps its turn by arrival among the work of its new priority.
    mutating func setPriority(_ priority: RequestPriority, of id: WorkID) {
        guard let host = waiting[id] else { return }
        byPriority.set(id, rank: rank(of: id, priority), host: host, hostIsOpen: isOpen(host))
    }

    /// Returns false for work that does not wait.
    mutating func cancel(_ id: WorkID) -> Bool {
        if id == byArrival.first { overtakes = 0 }
        return take(id) != nil
    }

    /// The wait until `wakeUp` is due, if only a token is missing. Each wait is returned once.
    mutating func nextWait(at now: Duration) -> Duration? {
        guard hasFreeSlot, !isWaking, byPriority.first != nil, let wait = bucket?.wait(at: now) else { return nil }
        isWaking = true
        return wait
    }

    private mutating func start(at now: Duration) -> [WorkID] {
        var starts: [WorkID] = []
        while let id = next(at: now) {
            overtakes = id == byArrival.first ? 0 : overtakes + 1
            guard let host = take(id) else { break }
            occupy(host)
            byPriority.refresh(host, isOpen: isOpen(host))
            byArrival.refresh(host, isOpen: isOpen(host))
            starts.append(id)
        }
        return starts
    }

    private mutating func occupy(_ host: String?) {
        runningCount += 1
        if let host { runningByHost[host, default: 0] += 1 }
    }

    private func next(at now: Duration) -> WorkID? {
        guard hasFreeSlot, bucket?.wait(at: now) == nil else { return nil }
        if let overtakeLimit, overtakes >= overtakeLimit { return byArrival.first }
        return byPriority.first
    }

    private var hasFreeSlot: Bool { !isSuspended && runningCount < limit }

    /// Removes waiting work and returns its host.
    private mutating func take(_ id: WorkID) -> String?? {
        guard let host = waiting.removeValue(forKey: id) else { return nil }
        byPriority.remove(id, host: host, hostIsOpen: isOpen(host))
        byArrival.remove(id, host: host, hostIsOpen: isOpen(host))
        return host
    }

    private func isOpen(_ host: String?) -> Bool {
        guard let host, let perHostLimit else { return true }
        return runningByHost[host, default: 0] < perHostLimit
    }

    /// Higher priority first, then the lane's order. Identifiers count from 1, so they fit below the priority.
    private func rank(of id: WorkID, _ priority: RequestPriority) -> UInt64 {
        let turn = order == .firstInFirstOut ? id : (1 << 56) - 1 - id
        return UInt64(RequestPriority.veryHigh.rawValue - priority.rawValue) << 56 | turn
    }
}
