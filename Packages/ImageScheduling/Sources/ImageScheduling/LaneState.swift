import ImageCore

/// Identifies work. Increases in the order of arrival.
typealias WorkID = UInt64

/// The waiting and running work of a lane. It takes no locks and reads no clock.
struct LaneState: Sendable {
    private(set) var limit: Int
    private let configuration: LaneOptions
    private let maxOvertakes: Int?
    private var bucket: TokenBucket?
    /// When the next call of `wakeUp` is due.
    private var wakeTime: Duration?
    private var running: [WorkID: LaneWork] = [:]
    /// The running work that hasn't stalled.
    private var moving = WorkCount()
    private(set) var runningByServer: [String: WorkCount] = [:]
    private var waiting: [WorkID: LaneWork] = [:]
    /// The waiting work from `.normal` priority on, and that below.
    private var (usual, low) = (WaitingWork(), WaitingWork())
    /// The number of consecutive starts that passed over the oldest work that could have started.
    private var overtakes = 0

    init(_ configuration: LaneOptions, maxOvertakes: Int?) {
        self.configuration = configuration
        limit = max(0, configuration.limit)
        bucket = configuration.startRate.map(TokenBucket.init)
        self.maxOvertakes = maxOvertakes.map { max(0, $0) }
    }

    var waitingCount: Int { waiting.count }
    var runningCount: Int { running.count }

    /// Starts work immediately. Returns false if it must wait.
    mutating func startImmediately(_ id: WorkID, _ work: LaneWork, at now: Duration) -> Bool {
        guard waiting.isEmpty, hasFreeSlot, !work.isLow || lowHasFreeSlot, isOpen(work.server, isLow: work.isLow),
            bucket?.wait(at: now) == nil
        else { return false }
        overtakes = 0
        occupy(id, work, at: now)
        return true
    }

    // The following methods return the work that starts, in order.

    mutating func add(
        _ id: WorkID, priority: RequestPriority, server: String?, at now: Duration = .zero
    ) -> [WorkID] {
        insert(id, LaneWork(priority, server), priority)
        return start(at: now)
    }

    /// - Parameter wasCancelled: Whether the work was cancelled while it ran, which takes a token.
    mutating func finish(_ id: WorkID, wasCancelled: Bool = false, at now: Duration = .zero) -> [WorkID] {
        guard let work = running.removeValue(forKey: id) else { return [] }
        if !work.isStalled { moving.add(-1, work) }
        if let server = work.server {
            runningByServer[server]?.add(-1, work)
            if runningByServer[server]?.all == 0 { runningByServer[server] = nil }
        }
        if wasCancelled { bucket?.take(at: now) }
        if waiting.isEmpty { return [] }
        refresh(work.server)
        return start(at: now)
    }

    mutating func setLimit(_ limit: Int, at now: Duration = .zero) -> [WorkID] {
        self.limit = max(0, limit)
        return start(at: now)
    }

    /// Starts work for which there is a token now, or the place of a stalled transfer.
    mutating func wakeUp(at now: Duration) -> [WorkID] {
        if let due = wakeTime, due <= now { wakeTime = nil }
        return start(at: now)
    }

    /// Changes the priority of waiting work. Its order of arrival applies within the new priority.
    mutating func setPriority(_ priority: RequestPriority, of id: WorkID, at now: Duration = .zero) -> [WorkID] {
        guard let work = take(id) else { return [] }
        insert(id, LaneWork(priority, work.server), priority)
        return start(at: now)
    }

    /// Removes waiting work. Returns false if it isn't waiting.
    mutating func cancel(_ id: WorkID) -> Bool {
        if id == firstByArrival { overtakes = 0 }
        return take(id) != nil
    }

    /// Returns how long to wait before `wakeUp`, if work waits for a token or until a transfer stalls. Returns each wait
    /// once.
    mutating func nextWait(at now: Duration) -> Duration? {
        guard !waiting.isEmpty, let wait = isReady ? bucket?.wait(at: now) : waitForStall(at: now) else { return nil }
        if let due = wakeTime, due <= now + wait { return nil }
        wakeTime = now + wait
        return wait
    }

    private mutating func start(at now: Duration) -> [WorkID] {
        if waiting.isEmpty { return [] }
        findStalls(at: now)
        var starts: [WorkID] = []
        while let id = next(at: now) {
            overtakes = id == firstByArrival ? 0 : overtakes + 1
            guard let work = take(id) else { break }
            occupy(id, work, at: now)
            refresh(work.server)
            starts.append(id)
        }
        return starts
    }

    private mutating func occupy(_ id: WorkID, _ work: LaneWork, at now: Duration) {
        var work = work
        work.lastMove = now
        running[id] = work
        moving.add(1, work)
        if let server = work.server { runningByServer[server, default: WorkCount()].add(1, work) }
    }

    private func next(at now: Duration) -> WorkID? {
        guard isReady, bucket?.wait(at: now) == nil else { return nil }
        if let maxOvertakes, overtakes >= maxOvertakes { return firstByArrival }
        return usual.byPriority.first ?? low.byPriority.first
    }

    /// Whether work can start if there is a token.
    private var isReady: Bool { hasFreeSlot && firstByArrival != nil }

    /// The oldest work that a free slot could start.
    private var firstByArrival: WorkID? {
        guard lowHasFreeSlot, let low = low.byArrival.first else { return usual.byArrival.first }
        return min(low, usual.byArrival.first ?? low)
    }

    private var hasFreeSlot: Bool { moving.all < limit && running.count < max(limit, maxRunning) }
    private var lowHasFreeSlot: Bool { moving.lowLeaves(configuration.reserved, of: limit) }
    private var maxRunning: Int { configuration.stallLimit?.maxRunning ?? limit }

    private mutating func insert(_ id: WorkID, _ work: LaneWork, _ priority: RequestPriority) {
        waiting[id] = work
        let (rank, isOpen) = (rank(of: id, priority), isOpen(work.server, isLow: work.isLow))
        if work.isLow {
            low.set(id, rank: rank, server: work.server, serverIsOpen: isOpen)
        } else {
            usual.set(id, rank: rank, server: work.server, serverIsOpen: isOpen)
        }
    }

    /// Removes waiting work and returns it.
    private mutating func take(_ id: WorkID) -> LaneWork? {
        guard let work = waiting.removeValue(forKey: id) else { return nil }
        let isOpen = isOpen(work.server, isLow: work.isLow)
        if work.isLow {
            low.remove(id, server: work.server, serverIsOpen: isOpen)
        } else {
            usual.remove(id, server: work.server, serverIsOpen: isOpen)
        }
        return work
    }

    private mutating func refresh(_ server: String?) {
        usual.refresh(server, isOpen: isOpen(server, isLow: false))
        low.refresh(server, isOpen: isOpen(server, isLow: true))
    }

    private func isOpen(_ server: String?, isLow: Bool) -> Bool {
        guard let server, let count = runningByServer[server], let limit = configuration.perServerLimit else {
            return true
        }
        return count.all < max(1, limit)
            && (!isLow || count.lowLeaves(configuration.reservedPerServer, of: max(1, limit)))
    }

    /// Returns the rank by priority, then by arrival. Identifiers count from 1, so they fit in 56 bits.
    private func rank(of id: WorkID, _ priority: RequestPriority) -> UInt64 {
        UInt64(RequestPriority.veryHigh.rawValue - priority.rawValue) << 56 | id
    }
}

// MARK: Stalls

extension LaneState {
    /// Records that a transfer has moved bytes. After enough of them it counts again, if it had stalled.
    mutating func moved(_ bytes: Int, by id: WorkID, at now: Duration) {
        guard let stallLimit = configuration.stallLimit, var work = running[id] else { return }
        if bytes >= stallLimit.bytes - work.movedBytes {
            if work.isStalled { moving.add(1, work) }
            work.movedBytes = 0
            work.lastMove = now
            work.isStalled = false
        } else {
            work.movedBytes += max(0, bytes)
        }
        running[id] = work
    }

    /// Takes the places of the transfers that have stalled.
    private mutating func findStalls(at now: Duration) {
        guard let time = stallTime else { return }
        for (id, work) in running where !work.isStalled && now - work.lastMove >= time {
            moving.add(-1, work)
            running[id]?.isStalled = true
        }
    }

    /// Returns how long it takes until the next transfer can stall, if another one may run then.
    private func waitForStall(at now: Duration) -> Duration? {
        guard let time = stallTime, running.count < maxRunning,
            usual.byPriority.first != nil || low.byPriority.first != nil
        else { return nil }
        return running.values.filter { !$0.isStalled }.map { $0.lastMove + time - now }.min()
    }

    private var stallTime: Duration? { configuration.stallLimit.map { max(.milliseconds(1), $0.time.limited) } }
}
