import ImageCore
import ImageTesting

@testable import ImageScheduling

/// A scheduler whose calls run on an executor that the test controls.
struct SchedulerFixture {
    struct Call {
        let task: Task<Void, any Error>
        let priority: LivePriority
    }

    let scheduler: PriorityScheduler
    let executor: SeededExecutor
    /// The names of the work items, in the order of their starts.
    let starts = MessageLog<String>()
    /// Blocks the work of `hold`.
    let gate = TestGate()

    /// - Parameter adjust: Changes the configuration of the download lane.
    init(limit: Int = 1, maxOvertakes: Int? = 64, adjust: (inout LaneOptions) -> Void = { _ in }) {
        executor = SeededExecutor(seed: 1)
        var lane = LaneOptions(limit: limit, executor: executor)
        adjust(&lane)
        scheduler = PriorityScheduler(lanes: [.download: lane], maxOvertakes: maxOvertakes)
    }

    /// Makes a call, and returns when it waits, runs or has ended.
    @discardableResult
    func call(
        _ name: String, _ priority: RequestPriority = .normal, in lane: WorkLane = .download, server: String? = nil,
        work: @escaping @Sendable () async throws -> Void = {}
    ) -> Call {
        let priority = LivePriority(priority)
        let task = Task(executorPreference: executor) { [scheduler, starts] in
            try await scheduler.run(in: lane, server: server, priority: priority) {
                starts.append(name)
                try await work()
            }
        }
        executor.run()
        return Call(task: task, priority: priority)
    }

    /// Makes a call whose work ends when the gate opens.
    @discardableResult
    func hold(
        _ name: String, _ priority: RequestPriority = .normal, in lane: WorkLane = .download, server: String? = nil
    ) -> Call {
        call(name, priority, in: lane, server: server) { [gate] in await gate.pass() }
    }

    func cancel(_ call: Call) {
        call.task.cancel()
        executor.run()
    }

    /// Opens the gate and runs all tasks to their end.
    func openGate() {
        gate.open()
        executor.run()
    }
}
