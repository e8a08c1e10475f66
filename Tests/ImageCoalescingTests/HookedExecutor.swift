import ImageTesting

/// An executor that calls a function when a task becomes ready, before the task runs.
final class HookedExecutor: TaskExecutor {
    let base = SeededExecutor(seed: 1)
    let onEnqueue = Watched<@Sendable () -> Void>({})

    func enqueue(_ job: consuming ExecutorJob) {
        base.enqueue(job)
        onEnqueue.value()
    }
}
