import ImageCore
import ImageTesting
import Testing

@Suite("ManualScheduler", .timeLimit(.minutes(5)))
struct ManualSchedulerTests {
    private typealias WorkID = ManualScheduler.WorkID

    private let scheduler = ManualScheduler()
    private let runs = MessageLog<Int>()

    /// Makes a call and returns when its work waits. Calls are numbered from 1.
    private func call(
        _ priority: RequestPriority = .normal, in lane: WorkLane = .decode, server: String? = nil, gate: TestGate? = nil
    ) async -> (id: WorkID, task: Task<Int, any Error>, priority: LivePriority) {
        let number = scheduler.messages.count { $0.isArrival } + 1
        let priority = LivePriority(priority)
        let task = Task { [scheduler, runs] in
            try await scheduler.run(in: lane, server: server, priority: priority) {
                await gate?.pass()
                runs.append(number)
                return number
            }
        }
        await scheduler.waitForArrivals(number)
        return (WorkID(rawValue: number), task, priority)
    }

    @Test("work runs in the caller's task when the test starts it, and not before")
    func runsOnDemand() async throws {
        let call = await call()
        #expect(runs.messages.isEmpty)
        try await scheduler.run(call.id)
        #expect(runs.messages == [1])
        #expect(try await call.task.value == 1)
    }

    @Test("the messages have all calls and starts in order")
    func messages() async throws {
        let first = await call(.low)
        let second = await call(in: .download, server: "a")
        first.priority.value = .high
        second.task.cancel()
        await #expect(throws: CancellationError.self) { try await second.task.value }
        second.priority.value = .high
        try await scheduler.run(first.id)
        first.priority.value = .low
        #expect(
            scheduler.messages == [
                .enqueued(first.id, .decode, .low, server: nil), .enqueued(second.id, .download, .normal, server: "a"),
                .reprioritized(first.id, .high), .cancelled(second.id), .started(first.id), .finished(first.id),
            ])
        #expect(runs.messages == [1])
    }

    @Test("the next work is the oldest of the highest priority")
    func order() async throws {
        let (low, first, second) = (await call(.low), await call(), await call())
        let raised = await call(.veryLow)
        raised.priority.value = .veryHigh
        #expect(scheduler.waiting == [raised.id, first.id, second.id, low.id])
        #expect(try await scheduler.runNext() == raised.id)
        try await scheduler.runAll()
        #expect(scheduler.waiting.isEmpty && runs.messages == [4, 2, 3, 1])
    }

    @Test("starting work that does not wait throws an error with all messages")
    func notWaiting() async throws {
        let call = await call()
        call.task.cancel()
        _ = await call.task.result
        await #expect(throws: ManualScheduler.NotWaiting.self) { try await scheduler.run(call.id) }
        await #expect(throws: ManualScheduler.NotWaiting.self) { try await scheduler.runNext() }
        let unknown = WorkID(rawValue: 99)
        let error = #expect(throws: ManualScheduler.NotWaiting.self) { try scheduler.start(unknown) }
        #expect(error?.description.contains("work 99 does not wait") == true)
    }
}

extension ManualScheduler.Message {
    fileprivate var isArrival: Bool { if case .enqueued = self { true } else { false } }
}
