extension Duration {
    /// The duration, limited to 0 to 100 years. Sums and conversions of a few of them don't overflow.
    package var limited: Duration { min(max(self, .zero), .seconds(3_155_760_000 as Int64)) }

    /// The duration in milliseconds, rounded, from 1 to a limit.
    package func milliseconds(upTo limit: Int) -> Int {
        let (seconds, attoseconds) = limited.components
        // Not in Int, which has 32 bits on some watches.
        let milliseconds = seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
        return Int(min(max(1, milliseconds), Int64(limit)))
    }
}

/// Returns a function that returns the time since this call, measured by `clock`.
package func stopwatch(_ clock: any Clock<Duration>) -> @Sendable () -> Duration {
    func start(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
    return start(clock)
}
