import ImageCore

/// One lane: what waits, what runs, and which of the waiting work starts next.
struct LaneState: Sendable {
    private(set) var limit: Int
    private let perHostLimit: Int?
    private let overtakeLimit: Int?
    private(set) var running = 0
    private var runningByHost: [String: Int] = [:]
    private var byPriority = WaitingLine()
    /// Kept only when older work may be overtaken but a limited number of times in a row.
    private var byArrival: WaitingLine?
    /// How many starts in a row have passed over the oldest work that could have started; from 0 when that one goes.
    private var overtakes = 0

    init(limit: Int, perHostLimit: Int?, overtakeLimit: Int?) {
        self.limit = max(0, limit)
        self.perHostLimit = perHostLimit.map { max(1, $0) }
        self.overtakeLimit = overtakeLimit.map { max(0, $0) }
        self.byArrival = overtakeLimit == nil ? nil : WaitingLine()
    }

    mutating func setLimit(_ limit: Int) { self.limit = max(0, limit) }

    mutating func add(_ id: WorkID, priority: RequestPriority, host: String?) {
        let isOpen = isOpen(host)
        byPriority.set(id, rank: Self.rank(of: id, priority), host: host, hostIsOpen: isOpen)
        byArrival?.set(id, rank: id.rawValue, host: host, hostIsOpen: isOpen)
    }

    mutating func move(_ id: WorkID, to priority: RequestPriority, host: String?) {
        let isOpen = isOpen(host)
        byPriority.set(id, rank: Self.rank(of: id, priority), host: host, hostIsOpen: isOpen)
    }

    mutating func remove(_ id: WorkID, host: String?) {
        if id == byArrival?.first { overtakes = 0 }
        let isOpen = isOpen(host)
        byPriority.remove(id, host: host, hostIsOpen: isOpen)
        byArrival?.remove(id, host: host, hostIsOpen: isOpen)
    }

    /// The work that starts next, or nil when the lane is full or nothing may start.
    func next() -> WorkID? {
        guard running < limit, let best = byPriority.first else { return nil }
        guard let overtakeLimit, overtakes >= overtakeLimit else { return best }
        return byArrival?.first ?? best
    }

    mutating func start(_ id: WorkID, host: String?) {
        overtakes += 1
        running += 1
        if let host { runningByHost[host, default: 0] += 1 }
        remove(id, host: host)
    }

    mutating func finish(host: String?) {
        running -= 1
        guard let host, let count = runningByHost[host] else { return }
        runningByHost[host] = count > 1 ? count - 1 : nil
        let isOpen = isOpen(host)
        byPriority.refresh(host, isOpen: isOpen)
        byArrival?.refresh(host, isOpen: isOpen)
    }

    private func isOpen(_ host: String?) -> Bool {
        guard let host, let perHostLimit else { return true }
        return runningByHost[host, default: 0] < perHostLimit
    }

    /// Higher priority first, then the order of arrival. Names of work are counted, so 2^56 of them fit below the priority.
    private static func rank(of id: WorkID, _ priority: RequestPriority) -> UInt64 {
        UInt64(RequestPriority.veryHigh.rawValue - priority.rawValue) << 56 | id.rawValue
    }
}
