import ImageCore

/// The part of shared work that takes a task.
struct ProceedingWork: Sendable {
    let executor: (any TaskExecutor)?
    /// Does the work and ends it.
    let part: WorkTask.Part

    /// Goes on in the task of work that ends, or has one of its own, which begins on a thread that is lent, if there is one.
    func start() -> WorkTask {
        if let task = WorkTask.current, task.succeeds(with: part, on: executor) { return task }
        let task = WorkTask(on: executor)
        if let loan = ThreadLoan.current, loan.take(task, for: part) { return task }
        task.start(part)
        return task
    }
}
