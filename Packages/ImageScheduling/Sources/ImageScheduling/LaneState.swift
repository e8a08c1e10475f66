import ImageCore

/// One lane: what waits, what runs, and which of the waiting work starts next.
struct LaneState: Sendable {
    private(set) var limit: Int
    private let perHostLimit: Int?
    private let order: LaneConfiguration.Order
    private let overtakeLimit: Int?
    var isSuspended = false
    private var bucket: TokenBucket?
    /// Whether somebody waits to look again when there is a token.
    private var isWaking = false
    private(set) var running = 0
    private var runningByHost: [String: Int] = [:]
    private var byPriority = WaitingLine()
    /// Kept only when older work may be overtaken but a limited number of times in a row.
    private var byArrival: WaitingLine?
    /// How many starts in a row have passed over the oldest work that could have started; from 0 when that one goes.
    private var overtakes = 0

    init(_ configuration: LaneConfiguration, overtakeLimit: Int?) {
        self.limit = max(0, configuration.limit)
        self.perHostLimit = configuration.perHostLimit.map { max(1, $0) }
        self.order = configuration.order
        self.bucket = configuration.startRate.map(TokenBucket.init)
        self.overtakeLimit = overtakeLimit.map { max(0, $0) }
        self.byArrival = overtakeLimit == nil ? nil : WaitingLine()
    }

    mutating func setLimit(_ limit: Int) { self.limit = max(0, limit) }

    /// Starts work that need not wait. False when it must: the lane is full or held, or something that came before may start first.
    mutating func startAtOnce(host: String?, at now: Duration) -> Bool {
        guard !isSuspended, running < limit, byPriority.isEmpty, bucket?.wait(at: now) == nil, enter(host) else {
            return false
        }
        overtakes = 0  // nothing is passed over: nothing waits
        running += 1
        return true
    }

    /// Takes a place of the host's. False when it has none left.
    private mutating func enter(_ host: String?) -> Bool {
        guard let host else { return true }
        return runningByHost[host, default: 0].takePlace(of: perHostLimit)
    }

    mutating func add(_ id: WorkID, priority: RequestPriority, host: String?) {
        let isOpen = isOpen(host)
        byPriority.set(id, rank: rank(of: id, priority), host: host, hostIsOpen: isOpen)
        byArrival?.set(id, rank: id.rawValue, host: host, hostIsOpen: isOpen)
    }

    mutating func move(_ id: WorkID, to priority: RequestPriority, host: String?) {
        let isOpen = isOpen(host)
        byPriority.set(id, rank: rank(of: id, priority), host: host, hostIsOpen: isOpen)
    }

    mutating func remove(_ id: WorkID, host: String?) {
        if id == byArrival?.first { overtakes = 0 }
        let isOpen = isOpen(host)
        byPriority.remove(id, host: host, hostIsOpen: isOpen)
        byArrival?.remove(id, host: host, hostIsOpen: isOpen)
    }

    /// The work that starts next, or nil when the lane is full or held, or nothing may start.
    ///
    /// Mutating, though it changes nothing: so a lane in an array is asked where it lies, and not copied.
    mutating func next(at now: Duration) -> WorkID? {
        guard !isSuspended, running < limit, bucket?.wait(at: now) == nil, let best = byPriority.first else {
            return nil
        }
        guard let overtakeLimit, overtakes >= overtakeLimit else { return best }
        return byArrival?.first ?? best
    }

    /// Work that runs was cancelled: its start was in vain.
    mutating func charge(at now: Duration) { bucket?.take(at: now) }

    /// When to look again, if only a token is missing and nobody waits to look already.
    mutating func nextLook(at now: Duration) -> Duration? {
        guard !isSuspended, !isWaking, running < limit, byPriority.first != nil, let wait = bucket?.wait(at: now) else {
            return nil
        }
        isWaking = true
        return wait
    }

    mutating func looksAgain() { isWaking = false }

    mutating func start(_ id: WorkID, host: String?) {
        overtakes += 1
        occupy(host)
        remove(id, host: host)
    }

    private mutating func occupy(_ host: String?) {
        running += 1
        if let host { runningByHost[host, default: 0] += 1 }
    }

    mutating func finish(host: String?) {
        running -= 1
        guard let host, let index = runningByHost.index(forKey: host) else { return }
        if runningByHost.values[index] > 1 {
            runningByHost.values[index] -= 1
        } else {
            runningByHost.remove(at: index)
        }
        if byPriority.isEmpty { return }
        let isOpen = isOpen(host)
        byPriority.refresh(host, isOpen: isOpen)
        byArrival?.refresh(host, isOpen: isOpen)
    }

    private func isOpen(_ host: String?) -> Bool {
        guard let host, let perHostLimit else { return true }
        return runningByHost[host, default: 0] < perHostLimit
    }

    /// Higher priority first, then the lane's order. Names of work are counted, so 2^56 of them fit below the priority.
    private func rank(of id: WorkID, _ priority: RequestPriority) -> UInt64 {
        let turn = order == .firstInFirstOut ? id.rawValue : (1 << 56) - 1 - id.rawValue
        return UInt64(RequestPriority.veryHigh.rawValue - priority.rawValue) << 56 | turn
    }
}

extension Int {
    /// One more, if that is within the limit.
    fileprivate mutating func takePlace(of limit: Int?) -> Bool {
        if let limit, self >= limit { return false }
        self += 1
        return true
    }
}
