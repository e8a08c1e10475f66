import Synchronization

/// An executor that queues the jobs of its tasks and runs them one by one, in a random order.
///
/// Every schedule of real threads is possible. The same seed reproduces the same schedule.
///
/// ```swift
/// let executor = SeededExecutor(seed: 7)
/// let task = Task(executorPreference: executor) { await work() }
/// executor.run()  // runs until the queue is empty
/// ```
///
/// - A step is the part of a task between two suspensions. Steps never overlap, on any thread.
/// - The order is only reproducible if the jobs don't depend on time, other random numbers, the order of a `Dictionary`
///   or `Set`, or tasks without this executor.
/// - Child tasks inherit the executor preference. Detached tasks and those from `Task { }` don't. Pass the executor to
///   code that makes such tasks.
/// - A queued job keeps its task alive. Call `run()` before you release the executor.
package final class SeededExecutor: TaskExecutor {
    private struct State: Sendable {
        var ready: [UnownedJob] = []
        var random: SeededRandom
        var stepCount = 0
        var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

        /// Chooses the next job and adds the choice to the fingerprint, an FNV-1a hash.
        mutating func next() -> UnownedJob? {
            guard !ready.isEmpty else { return nil }
            let index = Int.random(in: ready.indices, using: &random)
            for number in [ready.count, index] {
                fingerprint = (fingerprint ^ UInt64(number)) &* 0x100_0000_01B3
            }
            stepCount += 1
            ready.swapAt(index, ready.count - 1)
            return ready.removeLast()
        }
    }

    private let state: Mutex<State>

    /// Creates an executor that chooses jobs with this seed.
    package init(seed: UInt64) { state = Mutex(State(random: SeededRandom(seed: seed))) }

    /// Adds a job to those from which the next one is chosen.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.ready.append(job) }
    }

    /// The number of queued jobs.
    package var readyCount: Int { state.withLock { $0.ready.count } }

    /// The number of steps that have run.
    package var stepCount: Int { state.withLock { $0.stepCount } }

    /// A hash of all choices so far. Equal schedules have the same fingerprint.
    package var fingerprint: UInt64 { state.withLock { $0.fingerprint } }

    /// Runs one job on the calling thread. Returns false if the queue is empty. Don't call it in a job.
    @discardableResult
    package func step() -> Bool {
        guard let job = state.withLock({ $0.next() }) else { return false }
        // Sound: the executor is alive during this method, so the unowned reference is valid.
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// Runs jobs until the queue is empty, but at most `limit` steps. Returns the number of steps.
    @discardableResult
    package func run(steps limit: Int = .max) -> Int {
        var count = 0
        while count < limit, step() { count += 1 }
        return count
    }
}
