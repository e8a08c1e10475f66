import Synchronization

/// A task in which shared work runs: one piece, and then what can go on because that has ended. It saves a task for each, and the way to
/// other threads.
package final class WorkTask: Sendable {
    /// That in which the caller runs.
    @TaskLocal package static var current: WorkTask?

    package typealias Part = @Sendable (WorkTask) async -> Void

    private struct State {
        /// Nil for a task that has begun on a lent thread, before it waits for something there, or ends.
        var task: Task<Void, Never>?
        var isCancelled = false
        var onCancel: (@Sendable () -> Void)?
        /// Whether another part may come.
        var isEnding = false
        var next: Part?
    }

    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// - Parameter executor: the threads that it prefers; nil for Swift's cooperative pool.
    package init(on executor: (any TaskExecutor)?) { self.executor = executor }

    package func start(_ part: @escaping Part) {
        // A task that is told of no executor, not even of none, need not ask for one under a lock at each call.
        guard let executor else { return keep(Task.detached { await self.carryOut(part) }) }
        keep(Task.detached(executorPreference: executor) { await self.carryOut(part) })
    }

    /// Begins on the calling thread, where the system can.
    func begin(_ part: @escaping Part) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), !state.withLock({ $0.isCancelled })
        else { return start(part) }
        guard let executor else { return keep(Task.immediateDetached { await self.carryOut(part) }) }
        keep(Task.immediateDetached(executorPreference: executor) { await self.carryOut(part) })
    }

    private func keep(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func carryOut(_ first: Part) async {
        await Self.$current.withValue(self) {
            await first(self)
            while let next = state.withLock({ $0.next.take() }) { await next(self) }
        }
    }

    package func cancel() {
        let (task, handler) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.onCancel)
        }
        if let task { task.cancel() } else { handler?() }
    }

    /// Calls a handler, in place of an earlier one, when this is cancelled while it has begun on a lent thread and nobody can cancel the task yet.
    package func onEarlyCancel(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.onCancel = handler
            return state.isCancelled
        }
        if isLate { handler() }
    }

    /// Tells of the end of a part. What can go on by that may take its place.
    package func ending(_ tell: () -> Void) {
        state.withLock { $0.isEnding = true }
        tell()
        state.withLock { $0.isEnding = false }
    }

    /// Takes the place of the part that ends. False when none does, when another has taken it, or when it wants other threads.
    package func succeeds(with part: @escaping Part, on executor: (any TaskExecutor)?) -> Bool {
        guard executor === self.executor else { return false }
        return state.withLock { state in
            guard state.isEnding, state.next == nil else { return false }
            state.next = part
            return true
        }
    }
}
