import Dispatch

/// Runs tasks one after the other on a serial dispatch queue, which has threads beside those of the cooperative pool.
final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    /// Has work done that nobody waits for.
    func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Sound: the closure holds the executor while the unowned reference to it is used.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
