/// The clock of a cache, which reads it once for each lookup and each insertion.
public struct CacheClock: Sendable {
    /// Returns the duration since the fixed moment.
    public let now: @Sendable () -> Duration

    /// - Parameter now: Returns the duration since a fixed moment.
    public init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Creates a clock that measures the time since this call.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        self.init { start.duration(to: clock.now) }
    }
}
