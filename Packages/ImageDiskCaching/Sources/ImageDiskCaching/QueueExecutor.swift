import Dispatch

/// Runs tasks one at a time on a serial dispatch queue, outside of Swift's concurrency pool.
final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs work on the queue and returns without waiting for it.
    func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure retains the executor while the unowned reference is used.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
