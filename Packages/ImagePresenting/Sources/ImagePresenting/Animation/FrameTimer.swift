import ImageCore

/// Wakes an animation clock when its next frame is due, and at most 60 times a second.
@MainActor
final class FrameTimer {
    /// The least time between two ticks.
    private static let interval = Duration.seconds(1) / 60

    /// Called when it is time, with the time since the timer was created.
    var onTick: @MainActor (Duration) -> Void = { _ in }
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private var lastTick: Duration?
    /// The time of the next tick, and the task that waits for it.
    private var next: (time: Duration, wait: Task<Void, Never>)?

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = stopwatch(clock)
    }

    deinit { next?.wait.cancel() }

    /// Ticks at a time, unless it will earlier.
    /// - Parameter due: The time since the timer was created, or nil to tick as soon as possible.
    func tick(at due: Duration?) {
        let now = elapsed()
        let time = max(due ?? now, lastTick.map { $0 + Self.interval } ?? now)
        if let next, next.time <= time { return }
        stop()
        let wait = Task { [weak self, clock] in
            // Only a cancellation ends the sleep early.
            do { try await clock.sleep(for: max(.zero, time - now)) } catch { return }
            self?.wake()
        }
        next = (time, wait)
    }

    /// Stops to tick until the next call of `tick(at:)`.
    func stop() {
        next?.wait.cancel()
        next = nil
    }

    private func wake() {
        // It was stopped after the sleep had ended.
        if Task.isCancelled { return }
        let now = elapsed()
        next = nil
        lastTick = now
        onTick(now)
    }
}
