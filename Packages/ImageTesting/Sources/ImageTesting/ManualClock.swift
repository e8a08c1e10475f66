import Synchronization

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

    private struct Sleeper {
        var id: UInt64
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID: UInt64 = 0
        var sleepers: [Sleeper] = []
        var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Creates a clock at offset zero.
    public init() {}

    /// The current instant, which only `advance` changes.
    public var now: Instant { state.withLock { $0.now } }
    /// One attosecond.
    public var minimumResolution: Duration { .zero }

    /// Waits until the clock is advanced to the deadline. Throws `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Advances the time and resumes the tasks whose deadlines have passed, earliest deadline first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until at least `count` tasks sleep.
    public func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.arrivals.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    private enum Arrival {
        case waits(arrived: [CheckedContinuation<Void, Never>]), isDue, isCancelled
    }

    /// Adds a sleeper. An earlier cancellation is detected here, and a later one removes the sleeper.
    private func add(_ sleeper: Sleeper) {
        let arrival = state.withLock { state -> Arrival in
            if Task.isCancelled { return .isCancelled }
            if sleeper.deadline <= state.now { return .isDue }
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let arrived = state.arrivals.filter { $0.count <= count }.map(\.continuation)
            state.arrivals.removeAll { $0.count <= count }
            return .waits(arrived: arrived)
        }
        switch arrival {
        case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
        case .isDue: sleeper.continuation.resume()
        case .waits(let arrived): for continuation in arrived { continuation.resume() }
        }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
