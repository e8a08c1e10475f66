import Synchronization

/// Lends a thread: shared work begins there, on the thread of one who waits for it in a task and has nothing else to do. It saves the way
/// to another thread, which costs more than most of what a request does.
///
/// One piece of work may take it. It must wait for whatever takes long, or go elsewhere for it.
package final class ThreadLoan: Sendable {
    @TaskLocal package static var current: ThreadLoan?

    private struct State {
        var isOver = false
        var taken: (task: WorkTask, part: WorkTask.Part)?
    }

    private let state = Mutex(State())

    package init() {}

    /// True when the work will begin as the loan ends.
    package func take(_ task: WorkTask, for part: @escaping WorkTask.Part) -> Bool {
        state.withLock { state in
            guard !state.isOver, state.taken == nil else { return false }
            state.taken = (task, part)
            return true
        }
    }

    /// Ends the loan: what has taken it begins here and now.
    package func end() {
        let taken = state.withLock { state in
            state.isOver = true
            return state.taken.take()
        }
        if let (task, part) = taken { task.begin(part) }
    }
}
