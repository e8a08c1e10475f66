import Synchronization

/// Bounds the work in progress. What exceeds the limit waits in a queue that is fair to origins.
///
/// Work that has waited too long, or that the queue has no place for, is refused. A caller that is cancelled leaves the
/// queue at once.
final class AdmissionGate: Sendable {
    /// The work was refused because the queue is full, or because it waited too long.
    struct Overload: Error, Hashable, Sendable {
        /// The time after which the work that waits now has started or was refused; zero if there is no limit.
        let retryAfter: Duration
    }

    /// The limits of a gate.
    struct Limits: Hashable, Sendable {
        /// The most work in progress, at least 1; up to twice as much if the gate lends. One origin can use it alone.
        let running: Int
        /// The most work that waits.
        let waiting: Int
        /// The longest time for which work waits; nil for no limit.
        let waitingTime: Duration?

        init(running: Int, waiting: Int, waitingTime: Duration?) {
            self.running = max(1, running)
            self.waiting = max(0, waiting)
            self.waitingTime = waitingTime
        }
    }

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var queue: FairQueue<Waiter>
        var lastID = 0
    }

    private let limits: Limits
    private let clock: any Clock<Duration>
    private let state: Mutex<State>

    /// - Parameter lends: Whether work of an origin starts beyond the limit while others use more than their share.
    init(limits: Limits, lends: Bool = true, clock: any Clock<Duration>) {
        self.limits = limits
        self.clock = clock
        state = Mutex(State(queue: FairQueue(limit: limits.running, lends: lends)))
    }

    /// The amount of work in progress.
    var runningCount: Int { state.withLock { $0.queue.runningCount } }

    /// The amount of work that waits.
    var waitingCount: Int { state.withLock { $0.queue.waitingCount } }

    /// Runs work when it may start.
    ///
    /// - Throws: `Overload` if the work is refused, `CancellationError` if the caller is cancelled while it waits, and
    ///   errors of the work.
    func run<Value: Sendable>(origin: String, _ work: () async throws -> Value) async throws -> Value {
        if !state.withLock({ $0.queue.start(origin) }) { try await waitForStart(origin) }
        defer { resume(state.withLock { $0.queue.finish(origin) }) }
        return try await work()
    }

    private func waitForStart(_ origin: String) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withThrowingTaskGroup(of: Void.self) { timer in
            defer { timer.cancelAll() }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in
                    enqueue(id, waiter, origin)
                    if let time = limits.waitingTime {
                        timer.addTask { [self] in
                            // Takes memory until that time, even if it is cancelled.
                            try await clock.sleep(for: time)
                            leave(id, origin, throwing: overload)
                        }
                    }
                    // The handler may have run before this was in the queue.
                    if Task.isCancelled { leave(id, origin, throwing: CancellationError()) }
                }
            } onCancel: {
                leave(id, origin, throwing: CancellationError())
            }
        }
    }

    private func enqueue(_ id: Int, _ waiter: Waiter, _ origin: String) {
        let (refused, started) = state.withLock { state in
            let refused = state.queue.wait(id, waiter, origin, most: limits.waiting)
            // Work may have ended after `start` and before this lock.
            return (refused, state.queue.startable())
        }
        refused?.resume(throwing: overload)
        resume(started)
    }

    private func leave(_ id: Int, _ origin: String, throwing error: any Error) {
        // Nothing can start in its place. Shares grow only if an origin without work in progress leaves, and such an
        // origin waits only while all places are taken, those that are lent, too.
        state.withLock { $0.queue.remove(id, origin) }?.resume(throwing: error)
    }

    private func resume(_ waiters: [Waiter]) {
        for waiter in waiters { waiter.resume() }
    }

    private var overload: Overload { Overload(retryAfter: limits.waitingTime ?? .zero) }
}

extension AdmissionGate {
    /// A gate for a number of decoders, whose queue has no bounds of its own.
    static func decoders(_ count: Int, clock: any Clock<Duration>) -> AdmissionGate {
        AdmissionGate(
            limits: Limits(running: count, waiting: .max, waitingTime: nil), lends: false, clock: clock)
    }
}
