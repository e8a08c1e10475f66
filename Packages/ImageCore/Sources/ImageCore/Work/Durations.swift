extension Duration {
    /// The duration, limited to 0 to 100 years. Sums and conversions of a few of them don't overflow.
    package var limited: Duration { min(max(self, .zero), .seconds(3_155_760_000)) }
}

/// Returns a function that returns the time since this call, measured by `clock`.
package func stopwatch(_ clock: any Clock<Duration>) -> @Sendable () -> Duration {
    func start(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
    return start(clock)
}
