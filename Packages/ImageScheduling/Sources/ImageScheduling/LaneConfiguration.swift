import ImageCore

/// How much work a lane runs at once, in which order, and where.
public struct LaneConfiguration: Sendable {
    /// In which order work of one priority starts.
    public enum Order: String, Sendable, CaseIterable {
        case firstInFirstOut
        /// What was asked for last comes first: for lists that are scrolled, where the latest is what is seen. Work that is passed
        /// over comes to its turn as it does among priorities.
        case lastInFirstOut
    }

    /// How many pieces of work run at once. 0 holds the lane until `PriorityScheduler.setLimit` raises it: nothing in it ends before.
    public var limit: Int
    /// How many of them may name the same host; nil for no such limit. At least 1.
    public var perHostLimit: Int?
    public var order: Order
    /// How much work may be started only to be cancelled; nil for no such limit.
    public var startRate: StartRate?
    /// The threads that the work prefers; nil for Swift's cooperative pool. Give processor-bound or blocking work its own.
    public var executor: (any TaskExecutor)?

    public init(
        limit: Int, perHostLimit: Int? = nil, order: Order = .firstInFirstOut, startRate: StartRate? = nil,
        executor: (any TaskExecutor)? = nil
    ) {
        self.limit = limit
        self.perHostLimit = perHostLimit
        self.order = order
        self.startRate = startRate
        self.executor = executor
    }
}

/// Limits how much work is started in vain, as when somebody scrolls fast.
///
/// Each start of work that is cancelled before it ends costs a token. While there is none, nothing starts. Work that runs to its
/// end costs nothing.
public struct StartRate: Sendable {
    /// The largest number of tokens, and the number at first. At least 1.
    public var burst: Int
    /// How many tokens come back in a second. More than 0.
    public var perSecond: Double
    public let clock: any Clock<Duration>
    let uptime: @Sendable () -> Duration

    public init(burst: Int, perSecond: Double, clock: any Clock<Duration>) {
        self.burst = burst
        self.perSecond = perSecond
        self.clock = clock
        uptime = stopwatch(clock)
    }
}
