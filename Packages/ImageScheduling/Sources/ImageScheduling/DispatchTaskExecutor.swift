import Dispatch
import Synchronization

/// Runs tasks on threads of its own, at most `width` at once, so that processor-bound or blocking work leaves Swift's
/// cooperative pool free.
///
/// Give it as a lane's executor. Each worker is a serial dispatch queue: those have threads beside the pool that Swift's
/// concurrency shares with concurrent queues. Jobs start in the order in which they become ready.
public final class DispatchTaskExecutor: TaskExecutor {
    private struct State: Sendable {
        /// Jobs from `head` on wait; those before it have been taken.
        var ready: [UnownedJob] = []
        var head = 0
        var idle: [DispatchQueue]

        mutating func take() -> UnownedJob? {
            guard head < ready.count else { return nil }
            let job = ready[head]
            head += 1
            if head * 2 >= ready.count {
                ready.removeFirst(head)
                head = 0
            }
            return job
        }
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - name: seen in debuggers as the label of the workers' queues.
    ///   - width: how many jobs run at once, at least 1; a good one for decoding is the number of cores.
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

    /// Nil when nothing is ready; the worker is idle then.
    private func nextJob(of worker: DispatchQueue) -> UnownedJob? {
        state.withLock { state in
            let job = state.take()
            if job == nil { state.idle.append(worker) }
            return job
        }
    }
}
