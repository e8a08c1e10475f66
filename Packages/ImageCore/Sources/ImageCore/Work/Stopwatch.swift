/// Reads the time since now on a clock of whatever type.
package func stopwatch(_ clock: any Clock<Duration>) -> @Sendable () -> Duration {
    func opened(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
    // The usual clock has code of its own: each request looks several times.
    guard let clock = clock as? ContinuousClock else { return opened(clock) }
    let start = clock.now
    return { start.duration(to: clock.now) }
}
