import Dispatch
import ImageCore
import ImageScheduling
import Synchronization
import Testing

@testable import ImageTesting

@Suite("DispatchTaskExecutor")
struct DispatchTaskExecutorTests {
    /// Blocks threads, as a decoder does, and counts them.
    private final class Blocker: Sendable {
        private let counts = Mutex((current: 0, most: 0))
        private let semaphore = DispatchSemaphore(value: 0)

        var mostAtOnce: Int { counts.withLock { $0.most } }

        func block() {
            counts.withLock { counts in
                counts.current += 1
                counts.most = max(counts.most, counts.current)
            }
            semaphore.wait()
            counts.withLock { $0.current -= 1 }
        }

        func release(_ count: Int) { for _ in 0..<count { semaphore.signal() } }
    }

    @Test("blocked workers do not block the cooperative pool", .timeLimit(.minutes(10)))
    func poolStaysFree() async {
        let executor = DispatchTaskExecutor(name: "test", width: 64)
        let blocker = Blocker()
        let arrived = MessageLog<String>()
        let tasks = (0..<64).map { number in
            Task(executorPreference: executor) {
                arrived.append("\(number)")
                blocker.block()
            }
        }
        await arrived.waitForCount(64)
        await Task.detached {}.value
        blocker.release(64)
        for task in tasks { await task.value }
    }

    @Test("the number of concurrent jobs does not exceed the width", .timeLimit(.minutes(10)))
    func width() async {
        let executor = DispatchTaskExecutor(name: "test", width: 2)
        let blocker = Blocker()
        let arrived = MessageLog<String>()
        let tasks = (0..<20).map { number in
            Task(executorPreference: executor) {
                arrived.append("\(number)")
                blocker.block()
            }
        }
        await arrived.waitForCount(2)
        blocker.release(20)
        for task in tasks { await task.value }
        #expect(blocker.mostAtOnce == 2)
    }

    @Test("jobs of one worker run in the order in which they became ready, also after it was idle")
    func order() async {
        let executor = DispatchTaskExecutor(name: "test", width: 1)
        let log = MessageLog<String>()
        let blocker = Blocker()
        Task(executorPreference: executor) { blocker.block() }
        let tasks = (0..<100).map { number in Task(executorPreference: executor) { log.append("\(number)") } }
        blocker.release(1)
        for task in tasks { await task.value }
        for number in 100..<120 {
            Task(executorPreference: executor) { log.append("\(number)") }
            await log.waitForCount(number + 1)
        }
        #expect(log.messages == (0..<120).map { "\($0)" })
    }

    @Test("the work of a lane runs on the lane's executor, even after a suspension")
    func laneExecutor() async throws {
        let executor = CountingExecutor()
        let scheduler = PriorityScheduler(lanes: [.decode: LaneOptions(limit: 1, executor: executor)])
        let priority = LivePriority(.normal)
        try await scheduler.run(in: .download, server: nil, priority: priority) { await Task.yield() }
        #expect(executor.jobCount == 0)
        try await scheduler.run(in: .decode, server: nil, priority: priority) {
            let count = executor.jobCount
            #expect(count >= 1)
            await Task.yield()
            #expect(executor.jobCount > count)
        }
    }
}

/// Counts the jobs and passes them to another executor.
private final class CountingExecutor: TaskExecutor {
    private let count = Mutex(0)
    private let base = DispatchTaskExecutor(name: "counted", width: 1)

    var jobCount: Int { count.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        count.withLock { $0 += 1 }
        base.enqueue(job)
    }
}
