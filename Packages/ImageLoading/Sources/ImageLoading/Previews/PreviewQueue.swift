import ImageCore
import Synchronization

/// Handles inputs in the decode lane, one at a time. A new input replaces the waiting one.
final class PreviewQueue<Input: Sendable>: Sendable {
    private struct State: Sendable {
        var lastNumber = Int.min
        var hasStarted = false
        var isFinished = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let inputs = AsyncStream.makeStream(of: Input.self, bufferingPolicy: .bufferingNewest(1))
    private let configuration: ImageLoaderConfiguration
    private let priority: LivePriority
    private let handle: @Sendable (Input, _ isCancelled: @escaping @Sendable () -> Bool) async -> Void

    init(
        _ configuration: ImageLoaderConfiguration, priority: LivePriority,
        handle: @escaping @Sendable (Input, _ isCancelled: @escaping @Sendable () -> Bool) async -> Void
    ) {
        (self.configuration, self.priority, self.handle) = (configuration, priority, handle)
    }

    /// - Parameter number: The input is ignored unless this number exceeds all previous ones.
    func offer(_ input: Input, number: Int) {
        let (isNew, starts) = state.withLock { state in
            guard number > state.lastNumber, !state.isFinished else { return (false, false) }
            state.lastNumber = number
            defer { state.hasStarted = true }
            return (true, !state.hasStarted)
        }
        if isNew { inputs.continuation.yield(input) }
        if starts { start() }
    }

    /// Cancels the waiting and the running input. Later inputs are ignored.
    func finish() {
        let task = state.withLock { state in
            state.isFinished = true
            return state.task
        }
        task?.cancel()
    }

    private func start() {
        let task = Task.detached(executorPreference: configuration.taskExecutor) {
            for await input in self.inputs.stream { await self.run(input) }
        }
        let isFinished = state.withLock { state in
            state.task = task
            return state.isFinished
        }
        if isFinished { task.cancel() }
    }

    private func run(_ input: Input) async {
        // Errors are ignored, because the final image follows.
        try? await configuration.scheduler.run(in: .decode, host: nil, priority: priority) {
            await self.handle(input) { self.state.withLock { $0.isFinished } }
        }
    }
}
