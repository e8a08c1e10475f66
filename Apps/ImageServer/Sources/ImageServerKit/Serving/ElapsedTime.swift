/// Returns a function that returns the time since this call.
func elapsedTime(of clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}
