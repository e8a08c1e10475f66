extension Duration {
    /// The duration, limited to 0 to 100 years. Sums and conversions of a few of them don't overflow.
    package var limited: Duration { min(max(self, .zero), .seconds(3_155_760_000 as Int64)) }

    /// The duration in milliseconds, rounded, from 1 to a limit.
    package func milliseconds(upTo limit: Int) -> Int {
        let (seconds, attoseconds) = limited.components
        let milliseconds = Int(seconds) * 1000 + Int((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
        return min(max(1, milliseconds), limit)
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
