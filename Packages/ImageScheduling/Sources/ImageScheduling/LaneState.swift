import ImageCore

/// Identifies waiting work. Increases in the order of arrival.
typealias WorkID = UInt64

/// The waiting and running work of a lane. It takes no locks and reads no clock.
struct LaneState: Sendable {
    private(set) var limit: Int
    private let perHostLimit: Int?
    private let overtakeLimit: Int?
    private var bucket: TokenBucket?
    /// Whether a call of `wakeUp` is scheduled.
    private var isWaking = false
    private(set) var runningCount = 0
    private var runningByHost: [String: Int] = [:]
    /// The hosts of the waiting work.
    private var waiting: [WorkID: String?] = [:]
    private var byPriority = WaitingQueue()
    private var byArrival = WaitingQueue()
    /// The number of consecutive starts that passed over the oldest work that could have started.
    private var overtakes = 0

    init(_ configuration: LaneConfiguration, overtakeLimit: Int?) {
        limit = max(0, configuration.limit)
        perHostLimit = configuration.perHostLimit.map { max(1, $0) }
        bucket = configuration.startRate.map(TokenBucket.init)
        self.overtakeLimit = overtakeLimit.map { max(0, $0) }
    }

    var waitingCount: Int { waiting.count }

    /// Starts work immediately. Returns false if it must wait.
    mutating func startImmediately(host: String?, at now: Duration) -> Bool {
        guard waiting.isEmpty, hasFreeSlot, isOpen(host), bucket?.wait(at: now) == nil else { return false }
        overtakes = 0
        occupy(host)
        return true
    }

    // The following methods return the work that starts, in order.

    mutating func add(_ id: WorkID, priority: RequestPriority, host: String?, at now: Duration = .zero) -> [WorkID] {
        waiting[id] = .some(host)
        let isOpen = isOpen(host)
        byPriority.set(id, rank: rank(of: id, priority), host: host, hostIsOpen: isOpen)
        byArrival.set(id, rank: id, host: host, hostIsOpen: isOpen)
        return start(at: now)
    }

    /// - Parameter wasCancelled: Whether the work was cancelled while it ran, which takes a token.
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

    /// Starts work for which there is a token now.
    mutating func wakeUp(at now: Duration) -> [WorkID] {
        isWaking = false
        return start(at: now)
    }

    /// Changes the priority of waiting work. Its order of arrival applies within the new priority.
    mutating func setPriority(_ priority: RequestPriority, of id: WorkID) {
        guard let host = waiting[id] else { return }
        byPriority.set(id, rank: rank(of: id, priority), host: host, hostIsOpen: isOpen(host))
    }

    /// Removes waiting work. Returns false if it isn't waiting.
    mutating func cancel(_ id: WorkID) -> Bool {
        if id == byArrival.first { overtakes = 0 }
        return take(id) != nil
    }

    /// Returns how long to wait before `wakeUp`, if work waits only for a token. Returns each wait once.
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

    private var hasFreeSlot: Bool { runningCount < limit }

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

    /// Returns the rank by priority, then by arrival. Identifiers count from 1, so they fit in 56 bits.
    private func rank(of id: WorkID, _ priority: RequestPriority) -> UInt64 {
        UInt64(RequestPriority.veryHigh.rawValue - priority.rawValue) << 56 | id
    }
}
