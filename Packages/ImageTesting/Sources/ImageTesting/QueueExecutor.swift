import Synchronization

/// An executor that queues the jobs of its tasks and runs them one by one, in the order in which they became ready.
///
/// See `SeededExecutor` for what makes the order reproducible.
final class QueueExecutor: TaskExecutor {
    private let ready = Mutex<[UnownedJob]>([])

    /// Creates an executor without jobs.
    init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        ready.withLock { $0.append(job) }
    }

    /// Runs jobs on the calling thread until the queue is empty.
    func run() {
        while let job = ready.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            // Sound: the executor is alive during this method, so the unowned reference is valid.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
