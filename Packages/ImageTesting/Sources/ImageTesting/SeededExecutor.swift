import Synchronization

/// Holds the jobs of its tasks and runs them one by one when told, the next always chosen by a seeded generator: every
/// schedule that threads could bring about, and each of them again with the same seed.
///
/// ```swift
/// let executor = SeededExecutor(seed: 7)
/// let task = Task(executorPreference: executor) { await work() }
/// executor.run()   // until nothing is ready
/// ```
///
/// - A step is what a task does from one suspension to the next. Steps never overlap, whatever thread asks for them.
/// - The same seed gives the same order, as long as what runs depends on nothing but its jobs: no clock but a manual one, no
///   chance but a seeded one, no order of a `Dictionary` or `Set`, and no task without this executor.
/// - Child tasks inherit the preference. Detached tasks, and those made by `Task { }`, do not: what makes such tasks must be
///   given the executor.
/// - Every job that waits here keeps its task alive: run until idle before the executor goes.
public final class SeededExecutor: TaskExecutor {
    private struct State: Sendable {
        var ready: [UnownedJob] = []
        var random: SeededRandom
        var stepCount = 0
        var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

        /// Chooses, and takes note of the choice (FNV-1a over the numbers).
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

    public init(seed: UInt64) { state = Mutex(State(random: SeededRandom(seed: seed))) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.ready.append(job) }
    }

    /// How many jobs are ready to run.
    public var readyCount: Int { state.withLock { $0.ready.count } }

    /// How many steps have been run.
    public var stepCount: Int { state.withLock { $0.stepCount } }

    /// A digest of all choices so far, each among how many: equal for equal schedules.
    public var fingerprint: UInt64 { state.withLock { $0.fingerprint } }

    /// Runs one job on the calling thread. False when none is ready. Not to be called by a job.
    @discardableResult
    public func step() -> Bool {
        guard let job = state.withLock({ $0.next() }) else { return false }
        // Sound: the unowned reference is used while this method holds the executor itself.
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// Runs until no job is ready, or so many steps at most. Returns how many it ran.
    @discardableResult
    public func run(steps limit: Int = .max) -> Int {
        var count = 0
        while count < limit, step() { count += 1 }
        return count
    }
}
