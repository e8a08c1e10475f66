import ImageCore
import ImageScheduling
import ImageTesting

/// A scheduler whose calls the test makes one after the other, on an executor that it drives.
struct SchedulerFixture {
    struct Call {
        let task: Task<Void, any Error>
        let priority: LivePriority
    }

    let scheduler: PriorityScheduler
    let executor: SeededExecutor
    /// The names of works, in the order of their starts.
    let starts = MessageLog<String>()
    /// Holds the works that wait for it.
    let gate = Gate()

    /// - Parameter adjust: Changes the configuration of the lane of downloads.
    init(limit: Int = 1, overtakeLimit: Int? = 64, adjust: (inout LaneConfiguration) -> Void = { _ in }) {
        executor = SeededExecutor(seed: 1)
        var lane = LaneConfiguration(limit: limit, executor: executor)
        adjust(&lane)
        scheduler = PriorityScheduler(lanes: [.download: lane], overtakeLimit: overtakeLimit)
    }

    /// Makes a call, and returns when it waits, runs or has ended.
    @discardableResult
    func call(
        _ name: String, _ priority: RequestPriority = .normal, in lane: WorkLane = .download, host: String? = nil,
        work: @escaping @Sendable () async throws -> Void = {}
    ) -> Call {
        let priority = LivePriority(priority)
        let task = Task(executorPreference: executor) { [scheduler, starts] in
            try await scheduler.run(in: lane, host: host, priority: priority) {
                starts.append(name)
                try await work()
            }
        }
        executor.run()
        return Call(task: task, priority: priority)
    }

    /// Makes a call whose work runs until the gate opens.
    @discardableResult
    func hold(
        _ name: String, _ priority: RequestPriority = .normal, in lane: WorkLane = .download, host: String? = nil
    ) -> Call {
        call(name, priority, in: lane, host: host) { [gate] in await gate.pass() }
    }

    func cancel(_ call: Call) {
        call.task.cancel()
        executor.run()
    }

    /// Lets everything run to its end.
    func openGate() {
        gate.open()
        executor.run()
    }
}
