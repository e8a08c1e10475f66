import Dispatch
import Synchronization

/// Runs tasks on threads of its own, at most `width` at once, so that processor-bound or blocking work leaves Swift's
/// cooperative pool free.
///
/// Use it as a lane's executor. Each worker is a serial dispatch queue: unlike concurrent queues, these share no threads with
/// Swift's pool. Jobs start in the order in which they become ready.
public final class DispatchTaskExecutor: TaskExecutor {
    private struct State: Sendable {
        var ready: [UnownedJob] = []
        var idle: [DispatchQueue]
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - name: The label of the workers' queues, for debuggers.
    ///   - width: How many jobs run at once, at least 1. For decoding, use the number of cores.
    public init(name: String, width: Int) {
        let workers = (0..<max(1, width)).reversed().map { DispatchQueue(label: "\(name).\($0)") }
        self.state = Mutex(State(idle: workers))
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let idle = state.withLock { state in
            state.ready.append(job)
            return state.idle.popLast()
        }
        guard let worker = idle else { return }
        worker.async { self.work(as: worker) }
    }

    private func work(as worker: DispatchQueue) {
        while let job = nextJob(of: worker) {
            // Sound: the unowned reference is used while this method holds the executor itself.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Nil if nothing is ready: then the worker is idle.
    private func nextJob(of worker: DispatchQueue) -> UnownedJob? {
        state.withLock { state in
            if state.ready.isEmpty {
                state.idle.append(worker)
                return nil
            }
            return state.ready.removeFirst()
        }
    }
}
