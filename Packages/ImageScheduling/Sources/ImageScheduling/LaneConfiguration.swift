import ImageCore

/// The limits and the executor of a lane.
public struct LaneConfiguration: Sendable {
    /// The maximum amount of work at a time. With 0, nothing starts until `PriorityScheduler.setLimit` raises it.
    public var limit: Int
    /// The maximum amount of work per server (scheme, host and port) at a time, at least 1; nil for no limit.
    public var perServerLimit: Int?
    /// Limits the starts of work that is then cancelled; nil for no limit.
    public var startRate: StartRate?
    /// The preferred executor; nil for Swift's cooperative pool. Set one for CPU-bound or blocking work.
    public var executor: (any TaskExecutor)?

    /// Creates a configuration; by default without limits per server and for starts.
    public init(
        limit: Int, perServerLimit: Int? = nil, startRate: StartRate? = nil, executor: (any TaskExecutor)? = nil
    ) {
        self.limit = limit
        self.perServerLimit = perServerLimit
        self.startRate = startRate
        self.executor = executor
    }
}

/// Limits the starts of work that is cancelled before it ends, for example while the user scrolls fast.
///
/// Work that is cancelled while it runs takes a token when it ends. While there are no tokens, nothing starts.
public struct StartRate: Sendable {
    /// The initial and maximum number of tokens, at least 1.
    public var burst: Int
    /// The number of tokens that are added per second. Limited to 1e-6 to 1e9; NaN counts as the least.
    public var perSecond: Double
    /// The clock that measures the rate.
    let clock: any Clock<Duration>
    let uptime: @Sendable () -> Duration

    /// Creates a limit for starts.
    public init(burst: Int, perSecond: Double, clock: any Clock<Duration>) {
        self.burst = burst
        self.perSecond = perSecond
        self.clock = clock
        uptime = stopwatch(clock)
    }
}
