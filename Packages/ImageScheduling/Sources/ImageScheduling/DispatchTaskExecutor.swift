import Dispatch
import Synchronization

/// Runs up to `width` jobs at a time on its own threads, so that CPU-bound or blocking work doesn't occupy Swift's
/// cooperative pool. Use it as the executor of a lane. Jobs start in the order in which they become ready.
///
/// Each worker is a serial dispatch queue, because concurrent queues share threads with Swift's pool.
public final class DispatchTaskExecutor: TaskExecutor {
    /// The maximum number of concurrent jobs, each of which takes a thread.
    package static let maxWidth = 256

    private struct State: Sendable {
        var ready: [UnownedJob] = []
        var idle: [DispatchQueue]
    }

    private let state: Mutex<State>

    /// Creates an executor.
    ///
    /// - Parameters:
    ///   - name: The label of its dispatch queues, for debuggers.
    ///   - width: The maximum number of concurrent jobs, clamped to 1...256. For decoding, use the number of
    ///     cores.
    public init(name: String, width: Int) {
        let workers = (0..<min(max(1, width), Self.maxWidth)).reversed().map { DispatchQueue(label: "\(name).\($0)") }
        self.state = Mutex(State(idle: workers))
    }

    /// Runs a job on the next idle worker.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let idle = state.withLock { state in
            state.ready.append(job)
            return state.idle.popLast()
        }
        guard let worker = idle else { return }
        worker.async { self.runJobs(on: worker) }
    }

    private func runJobs(on worker: DispatchQueue) {
        while let job = nextJob(of: worker) {
            // Safe: `self` outlives this call, so the unowned reference is valid.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Returns the next job. If none is ready, marks the worker as idle and returns nil.
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
