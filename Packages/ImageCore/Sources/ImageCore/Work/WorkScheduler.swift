/// Decides when queued work starts: bounded lanes, by priority, first in first out within one.
///
/// Promises:
/// - A lane never runs more work at once than its limit.
/// - Waiting work of higher priority starts first, also when priorities change while it waits. So that nothing waits for
///   ever, an implementation may let the oldest work go first after at least 32 starts that passed it over.
/// - Work that is cancelled before it starts never runs; `cancel` tells which it was.
/// - Each piece of work runs at most once, and frees its place when its closure returns.
/// - No method calls a closure of anyone's before it returns.
public protocol WorkScheduler: Sendable {
    /// Queues work and returns its name at once.
    func enqueue(_ work: ScheduledWork) -> WorkID

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
