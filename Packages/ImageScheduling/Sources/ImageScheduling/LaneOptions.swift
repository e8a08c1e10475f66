import ImageCore

/// The limits and the executor of a lane.
public struct LaneOptions: Sendable {
    /// The maximum amount of work at a time. With 0, nothing starts until `PriorityScheduler` gets another.
    public var limit: Int
    /// The maximum amount of work per server (scheme, host and port) at a time, at least 1; nil for no limit.
    public var perServerLimit: Int?
    /// The number of places of `limit` that work below `.normal` priority, such as a prefetch, leaves free, from 0.
    ///
    /// Such work may always have one place, so a limit of 1 reserves none: then other work waits until it ends. The
    /// priority at the start counts. Between higher priorities, work that runs keeps its place.
    public var reserved = 0
    /// The number of places of `perServerLimit` that such work leaves free. Otherwise like `reserved`.
    public var reservedPerServer = 0
    /// Limits the starts of work that is then cancelled; nil for no limit.
    public var startRate: StartRate?
    /// When work of a lane for transfers loses its place in `limit`, because its server doesn't send; nil for never.
    public var stallLimit: StallLimit?
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

    /// Returns the time since the lane was created, by the clock of its limits; always 0 without a clock.
    var uptime: @Sendable () -> Duration { startRate?.uptime ?? stallLimit?.uptime ?? { .zero } }
}

/// Limits the starts of work that is cancelled before it ends, for example while the user scrolls fast.
///
/// Work that is cancelled while it runs takes a token when it ends. While there are no tokens, nothing starts.
public struct StartRate: Sendable {
    let burst: Int
    let perSecond: Double
    let clock: any Clock<Duration>
    let uptime: @Sendable () -> Duration

    /// Creates a limit for starts.
    ///
    /// - Parameters:
    ///   - burst: The initial and maximum number of tokens, at least 1.
    ///   - perSecond: The number of tokens that are added per second. Limited to 1e-6 to 1e9; NaN counts as the least.
    ///   - clock: Measures the rate.
    public init(burst: Int, perSecond: Double, clock: any Clock<Duration> = ContinuousClock()) {
        self.burst = burst
        self.perSecond = perSecond
        self.clock = clock
        uptime = stopwatch(clock)
    }
}

/// When a transfer has stalled: it took longer than `time` for its last `bytes`, or for its first ones.
///
/// While other work waits, a stalled transfer loses its place in the limit of its lane, but not in that of its server. It
/// goes on. When bytes move again, it counts again, and nothing starts until the lane is below its limit.
public struct StallLimit: Sendable {
    let bytes: Int
    let time: Duration
    let maxRunning: Int
    let clock: any Clock<Duration>
    let uptime: @Sendable () -> Duration

    /// Creates a limit for transfers.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes, at least 1.
    ///   - time: The time in which they must arrive, from 1 millisecond.
    ///   - maxRunning: The maximum amount of work at a time, with stalled transfers; at least the limit of the lane.
    ///   - clock: Measures the time. A lane with a `StartRate` uses the clock of that.
    public init(bytes: Int, time: Duration, maxRunning: Int, clock: any Clock<Duration> = ContinuousClock()) {
        self.bytes = bytes
        self.time = time
        self.maxRunning = maxRunning
        self.clock = clock
        uptime = stopwatch(clock)
    }
}
