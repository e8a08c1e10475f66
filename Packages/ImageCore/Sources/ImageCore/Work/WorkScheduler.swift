/// Decides when queued work starts: bounded lanes, by priority, first in first out within one.
///
/// Promises:
/// - A lane never runs more work at once than its limit.
/// - Waiting work of higher priority starts first, also when priorities change while it waits. So that nothing waits for
///   ever, an implementation may let the oldest work go first after at least 32 starts that passed it over.
/// - Work that is cancelled before it starts never runs; `cancel` tells which it was.
/// - Each piece of work runs at most once, and frees its place when its closure returns.
/// - Neither `enqueue` nor `reserve` calls the closure that it is given before it returns.
public protocol WorkScheduler: Sendable {
    /// Queues work and returns its name at once.
    func enqueue(_ work: ScheduledWork) -> WorkID

    /// Asks for a place in a lane, for work that runs in a task of the caller's. What is promised of work holds for it: it is work
    /// that runs from the moment in which the place is granted until it is released, on the lane's threads if the caller keeps to
    /// the reservation's `executor`.
    ///
    /// - Parameter onGrant: called once when the place is there, on an unspecified thread: do no more there than let somebody go on.
    ///   Not called when the place is granted at once, nor when `cancel` has answered true.
    func reserve(_ place: WorkPlace, onGrant: @escaping @Sendable () -> Void) -> Reservation

    /// Changes the priority of waiting work; nothing happens if it runs already or is done.
    func setPriority(_ priority: RequestPriority, of id: WorkID)

    /// True when the work was still waiting: it will never run. False when it runs already, is done or is unknown.
    @discardableResult
    func cancel(_ id: WorkID) -> Bool
}

/// A piece of work for a scheduler.
public struct ScheduledWork: Sendable {
    public var lane: WorkLane
    public var priority: RequestPriority
    /// The host that a download goes to, for limits per host; nil for other work.
    public var host: String?
    /// The work itself. It holds its place in the lane until it returns.
    public var run: @Sendable () async -> Void

    public init(
        lane: WorkLane, priority: RequestPriority = .normal, host: String? = nil,
        run: @escaping @Sendable () async -> Void
    ) {
        self.lane = lane
        self.priority = priority
        self.host = host
        self.run = run
    }
}

/// What is to be reserved.
public struct WorkPlace: Sendable, Hashable {
    public var lane: WorkLane
    public var priority: RequestPriority
    /// The host that a download goes to, for limits per host; nil for other work.
    public var host: String?

    public init(lane: WorkLane, priority: RequestPriority = .normal, host: String? = nil) {
        self.lane = lane
        self.priority = priority
        self.host = host
    }
}

/// A place in a lane, or the prospect of one.
public struct Reservation: Sendable {
    public let id: WorkID
    /// Whether the place was there at once.
    public let isGranted: Bool
    /// The threads that the lane's work prefers, where the caller's task is to go while it holds the place; nil for those that it has.
    public let executor: (any TaskExecutor)?
    /// Gives the place back. Once is enough; does nothing after `cancel` has answered true.
    public let release: @Sendable () -> Void

    public init(
        id: WorkID, isGranted: Bool, executor: (any TaskExecutor)? = nil, release: @escaping @Sendable () -> Void
    ) {
        self.id = id
        self.isGranted = isGranted
        self.executor = executor
        self.release = release
    }
}

extension WorkScheduler {
    /// Reserves a place with work that waits in it until it is released. Names no threads: a scheduler that has some of its own
    /// reserves by itself.
    public func reserve(_ place: WorkPlace, onGrant: @escaping @Sendable () -> Void) -> Reservation {
        let keeper = PlaceKeeper()
        let work = ScheduledWork(lane: place.lane, priority: place.priority, host: place.host) {
            onGrant()
            await keeper.released()
        }
        return Reservation(id: enqueue(work), isGranted: false) { keeper.release() }
    }
}

/// A queue with a limit of its own. The set is open.
public struct WorkLane: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Transfers over the network.
    public static let download = WorkLane(rawValue: "download")
    /// Decoding and processing: processor-bound.
    public static let decode = WorkLane(rawValue: "decode")
}

/// Names work within one scheduler.
public struct WorkID: Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
