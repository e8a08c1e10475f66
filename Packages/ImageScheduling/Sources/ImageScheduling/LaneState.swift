import ImageCore

/// Identifies waiting work. Increases in the order of arrival.
typealias WorkID = UInt64

/// The waiting and running work of a lane. It takes no locks and reads no clock.
struct LaneState: Sendable {
    private(set) var limit: Int
    private let perServerLimit: Int?
    private let overtakeLimit: Int?
    private var bucket: TokenBucket?
    /// Whether a call of `wakeUp` is scheduled.
    private var isWaking = false
    private(set) var runningCount = 0
    private var runningByServer: [String: Int] = [:]
    /// The servers of the waiting work.
    private var waiting: [WorkID: String?] = [:]
    private var byPriority = WaitingQueue()
    private var byArrival = WaitingQueue()
    /// The number of consecutive starts that passed over the oldest work that could have started.
    private var overtakes = 0

    init(_ configuration: LaneConfiguration, overtakeLimit: Int?) {
        limit = max(0, configuration.limit)
        perServerLimit = configuration.perServerLimit.map { max(1, $0) }
        bucket = configuration.startRate.map(TokenBucket.init)
        self.overtakeLimit = overtakeLimit.map { max(0, $0) }
    }

    var waitingCount: Int { waiting.count }

    /// Starts work immediately. Returns false if it must wait.
    mutating func startImmediately(server: String?, at now: Duration) -> Bool {
        guard waiting.isEmpty, hasFreeSlot, isOpen(server), bucket?.wait(at: now) == nil else { return false }
        overtakes = 0
        occupy(server)
        return true
    }

    // The following methods return the work that starts, in order.

    mutating func add(_ id: WorkID, priority: RequestPriority, server: String?, at now: Duration = .zero) -> [WorkID] {
        waiting[id] = .some(server)
        let isOpen = isOpen(server)
        byPriority.set(id, rank: rank(of: id, priority), server: server, serverIsOpen: isOpen)
        byArrival.set(id, rank: id, server: server, serverIsOpen: isOpen)
        return start(at: now)
    }

    /// - Parameter wasCancelled: Whether the work was cancelled while it ran, which takes a token.
    mutating func finish(server: String?, wasCancelled: Bool = false, at now: Duration = .zero) -> [WorkID] {
        runningCount -= 1
        if let server {
            let others = runningByServer[server, default: 1] - 1
            runningByServer[server] = others > 0 ? others : nil
        }
        if wasCancelled { bucket?.take(at: now) }
        if waiting.isEmpty { return [] }
        byPriority.refresh(server, isOpen: isOpen(server))
        byArrival.refresh(server, isOpen: isOpen(server))
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
        guard let server = waiting[id] else { return }
        byPriority.set(id, rank: rank(of: id, priority), server: server, serverIsOpen: isOpen(server))
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
            guard let server = take(id) else { break }
            occupy(server)
            byPriority.refresh(server, isOpen: isOpen(server))
            byArrival.refresh(server, isOpen: isOpen(server))
            starts.append(id)
        }
        return starts
    }

    private mutating func occupy(_ server: String?) {
        runningCount += 1
        if let server { runningByServer[server, default: 0] += 1 }
    }

    private func next(at now: Duration) -> WorkID? {
        guard hasFreeSlot, bucket?.wait(at: now) == nil else { return nil }
        if let overtakeLimit, overtakes >= overtakeLimit { return byArrival.first }
        return byPriority.first
    }

    private var hasFreeSlot: Bool { runningCount < limit }

    /// Removes waiting work and returns its server.
    private mutating func take(_ id: WorkID) -> String?? {
        guard let server = waiting.removeValue(forKey: id) else { return nil }
        byPriority.remove(id, server: server, serverIsOpen: isOpen(server))
        byArrival.remove(id, server: server, serverIsOpen: isOpen(server))
        return server
    }

    private func isOpen(_ server: String?) -> Bool {
        guard let server, let perServerLimit else { return true }
        return runningByServer[server, default: 0] < perServerLimit
    }

    /// Returns the rank by priority, then by arrival. Identifiers count from 1, so they fit in 56 bits.
    private func rank(of id: WorkID, _ priority: RequestPriority) -> UInt64 {
        UInt64(RequestPriority.veryHigh.rawValue - priority.rawValue) << 56 | id
    }
}
