import ImageCore
import Synchronization

/// Limits how long a response waits until something is stored, because storing is optional.
///
/// An operation that takes longer goes on without its caller. Until it ends, no caller waits, and an operation is only
/// started if fewer than 16 are running.
final class StoreTimeout: Sendable {
    private struct TimedOut: Error {}

    private struct State {
        var nextID = 0
        var running: Set<Int> = []
        /// The running operations that took too long.
        var late: Set<Int> = []
    }

    private static let limit = Duration.seconds(2)
    private static let maxRunningWhenLate = 16

    /// What is reported for a response that isn't stored in time.
    static let failure = DataCacheError.io("storing takes too long, so the response doesn't wait for it")

    private let clock: (any Clock<Duration>)?
    private let state = Mutex(State())

    /// - Parameter clock: Without a clock, callers wait until an operation ends.
    init(clock: (any Clock<Duration>)?) { self.clock = clock }

    /// Returns the result of an operation, or nil if nobody waited for its end.
    func result<Value: Sendable>(of operation: @escaping @Sendable () async -> Value) async -> Value? {
        guard let clock else { return await operation() }
        guard let (id, waits) = begin() else { return nil }
        let hasEnded = OneTimeSignal()
        let task = Task { [self] in
            let value = await operation()
            end(id)
            hasEnded.send()
            return value
        }
        guard waits else { return nil }
        let timer = Task { [self] in
            try await clock.sleep(for: Self.limit)
            timeOut(id)
            hasEnded.fail(TimedOut())
        }
        defer { timer.cancel() }
        do {
            // A cancelled caller waits too: the beginning of its download is worth storing.
            try await hasEnded.wait {}
            return await task.value
        } catch {
            return nil
        }
    }

    /// Returns nil if the operation must not be started.
    private func begin() -> (id: Int, waits: Bool)? {
        state.withLock { state in
            if !state.late.isEmpty, state.running.count >= Self.maxRunningWhenLate { return nil }
            state.nextID += 1
            state.running.insert(state.nextID)
            return (state.nextID, state.late.isEmpty)
        }
    }

    private func timeOut(_ id: Int) {
        state.withLock { if $0.running.contains(id) { $0.late.insert(id) } }
    }

    private func end(_ id: Int) {
        state.withLock { state in
            state.running.remove(id)
            state.late.remove(id)
        }
    }
}
