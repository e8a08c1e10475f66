/// The current time, as the duration since a fixed moment.
///
/// A cache with a clock reads it once for each lookup and each insertion.
public struct CacheClock: Sendable {
    /// Returns the duration since the fixed moment.
    public let now: @Sendable () -> Duration

    /// - Parameter now: returns the duration since a fixed moment.
    public init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Measures time with a clock, from the moment of this call.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        self.init { start.duration(to: clock.now) }
    }
}
