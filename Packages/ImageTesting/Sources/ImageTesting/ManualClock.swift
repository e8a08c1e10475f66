import ImageCore

/// A clock whose time only changes when a test advances it.
public final class ManualClock: Clock, Sendable {
    /// A time of the clock.
    public struct Instant: InstantProtocol, Sendable {
        /// The duration since the clock was created.
        public var offset: Duration

        /// Creates an instant.
        public init(offset: Duration) { self.offset = offset }

        /// Returns the instant after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the duration to another instant, negative if it is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper: Sendable {
        let deadline: Instant
        let signal = OneTimeSignal()
    }

    private struct State: Sendable {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
    }

    private let state = Watched(State())

    /// Creates a clock at offset zero.
    public init() {}

    /// The current instant, which only `advance` changes.
    public var now: Instant { state.value.now }
    /// One attosecond.
    public var minimumResolution: Duration { .zero }

    /// Waits until the clock is advanced to the deadline. Throws `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let sleeper = Sleeper(deadline: deadline)
        let isDue = state.change { state in
            if deadline > state.now { state.sleepers.append(sleeper) }
            return deadline <= state.now
        }
        if isDue { return }
        try await sleeper.signal.wait {
            state.change { $0.sleepers.removeAll { $0.signal === sleeper.signal } }
            sleeper.signal.fail(CancellationError())
        }
    }

    /// Advances the time and resumes the tasks whose deadlines have passed, earliest deadline first.
    public func advance(by duration: Duration) {
        let due = state.change { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.signal.send() }
    }

    /// Waits until at least `count` tasks sleep, or until the calling task is cancelled.
    public func waitForSleepers(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await state.waitUntil({ $0.sleepers.count >= count }, file: file, line: line)
    }
}
