/// Time as a cache needs it: how long it is since some moment that stays the same.
///
/// A cache with a clock reads it once in each look-up and insertion; one without reads none.
public struct CacheClock: Sendable {
    /// How long it is since that moment.
    public let now: @Sendable () -> Duration

    public init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Counts from now on.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        self.init { start.duration(to: clock.now) }
    }
}

/// How long a cache may serve an entry.
public struct EntryLifetime: Hashable, Sendable {
    public var duration: Duration
    /// Whether each use starts the time anew: then it is the time without a use that counts.
    public var isExtendedByUse: Bool

    public init(_ duration: Duration, isExtendedByUse: Bool = false) {
        self.duration = duration
        self.isExtendedByUse = isExtendedByUse
    }

    /// For an entry that stays as long as there is room, in a cache whose entries expire otherwise.
    public static let unlimited = EntryLifetime(.nanoseconds(Int64.max))
}
