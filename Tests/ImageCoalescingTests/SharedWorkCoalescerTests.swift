import ImageCoalescing
import ImageCore
import ImageTesting
import Testing

@Suite("SharedWorkCoalescer")
struct SharedWorkCoalescerTests {
    private let coalescer = SharedWorkCoalescer<String, Int>()
    private let works = MessageLog<any SharedWork>()
    private let gate = Gate()

    /// A waiter in a task of its own, and what it is told.
    private struct Waiter {
        let task: Task<Int, any Error>
        let progress: MessageLog<WorkProgress>
    }

    /// Starts a waiter whose work keeps itself for the test, waits at the gate and then returns `result`.
    private func wait(
        _ number: UInt64, for key: String = "a", _ priority: RequestPriority = .normal, gate other: Gate? = nil,
        result: @escaping @Sendable () throws -> Int = { 7 }
    ) -> Waiter {
        let progress = MessageLog<WorkProgress>()
        let gate = other ?? gate
        let task = Task { [coalescer, works] in
            try await coalescer.value(
                for: key, priority: priority,
                onProgress: { progress.append($0) }
            ) { work in
                works.append(work)
                await gate.pass()
                return try result()
            }
        }
        return Waiter(task: task, progress: progress)
    }

    /// Starts waiters one after the other, and returns when all have joined.
    private func waiters(_ count: Int) async -> [Waiter] {
        var waiters: [Waiter] = []
        for number in 1...count {
            waiters.append(wait(UInt64(number)))
            await joined(number)
        }
        return waiters
    }

    private func joined(_ count: Int) async { await becomesTrue { coalescer.waiterCount == count } }

    private func idle() async { await becomesTrue { coalescer.isIdle } }

    private func bytes(_ count: Int) -> WorkProgress { WorkProgress(completedBytes: count, totalBytes: 100) }

    @Test("many waiters of one key share one piece of work and its result")
    func sharesWork() async throws {
        let waiters = await waiters(200)
        gate.open()
        for waiter in waiters { #expect(try await waiter.task.value == 7) }
        #expect(works.messages.count == 1)
        await idle()
    }

    @Test("different keys are different work")
    func keys() async throws {
        let first = wait(1, for: "a") { 1 }
        let second = wait(2, for: "b") { 2 }
        await works.reaches(2)
        gate.open()
        #expect(try await first.task.value == 1)
        #expect(try await second.task.value == 2)
    }

    @Test("the work's error reaches every waiter, and the next to ask starts anew")
    func error() async throws {
        let first = wait(1) { throw DecodingFailure.unknownFormat }
        await joined(1)
        let second = wait(2)
        await joined(2)
        gate.open()
        await #expect(throws: DecodingFailure.self) { try await first.task.value }
        await #expect(throws: DecodingFailure.self) { try await second.task.value }
        #expect(try await wait(3).task.value == 7)
    }

    @Test("a waiter that leaves throws CancellationError at once and changes nothing for the others")
    func oneLeaves() async throws {
        let waiters = await waiters(3)
        waiters[0].task.cancel()
        await #expect(throws: CancellationError.self) { try await waiters[0].task.value }
        #expect(coalescer.waiterCount == 2)
        gate.open()
        for waiter in waiters.dropFirst() { #expect(try await waiter.task.value == 7) }
    }

    @Test("the last waiter to leave cancels the work")
    func lastCancels() async {
        let cancelled = Gate()
        cancelled.open()
        let tasks = (1...2).map { number in
            Task { [coalescer, works] in
                try await coalescer.value(
                    for: "a", priority: .normal, onProgress: { _ in }
                ) { work in
                    works.append(work)
                    await withTaskCancellationHandler { [gate] in
                        await gate.pass()
                    } onCancel: {
                        Task { await cancelled.pass() }
                    }
                    return 1
                }
            }
        }
        await joined(2)
        await works.reaches(1)
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(cancelled.arrivalCount == 0)
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        await cancelled.arrivals(1)
        gate.open()
        await idle()
    }

    @Test("whoever asks while abandoned work winds down starts anew, and the late result answers nobody")
    func joinDuringWindDown() async throws {
        let oldGate = Gate()
        let old = wait(1, gate: oldGate) { 1 }
        await works.reaches(1)
        old.task.cancel()
        await #expect(throws: CancellationError.self) { try await old.task.value }
        let new = wait(2) { 2 }
        await works.reaches(2)
        oldGate.open()
        works.messages[0].report(bytes(1))
        await Task.yield()
        #expect(coalescer.waiterCount == 1)
        gate.open()
        #expect(try await new.task.value == 2)
        #expect(new.progress.messages.isEmpty)
        await idle()
    }

    @Test("a waiter whose task is cancelled before it asks starts no work")
    func cancelledBefore() async {
        let start = Gate()
        let task = Task { [coalescer, works] in
            await start.pass()
            return try await coalescer.value(
                for: "a", priority: .normal, onProgress: { _ in }
            ) { work in
                works.append(work)
                return 1
            }
        }
        task.cancel()
        start.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(works.messages.isEmpty && coalescer.isIdle)
    }

    @Test("work that throws CancellationError by itself is a failure for those who wait")
    func ownCancellation() async {
        let waiter = wait(1) { throw CancellationError() }
        await joined(1)
        gate.open()
        await #expect(throws: CoalescingFailure.workCancelledItself) { try await waiter.task.value }
    }

    @Test("a late joiner is told the latest report, then the next ones")
    func replay() async throws {
        let first = wait(1)
        await works.reaches(1)
        let work = works.messages[0]
        work.report(bytes(10))
        work.report(bytes(20))
        let second = wait(2)
        await second.progress.reaches(1)
        work.report(bytes(30))
        gate.open()
        _ = try await (first.task.value, second.task.value)
        #expect(first.progress.messages.map(\.completedBytes) == [10, 20, 30])
        #expect(second.progress.messages.map(\.completedBytes) == [20, 30])
    }

    @Test("work that is over says nothing more")
    func reportAfterEnd() async throws {
        let waiter = wait(1, .high)
        await works.reaches(1)
        let work = works.messages[0]
        let priorities = MessageLog<RequestPriority>()
        gate.open()
        _ = try await waiter.task.value
        await idle()
        work.report(bytes(10))
        work.onPriorityChange { priorities.append($0) }
        #expect(waiter.progress.messages.isEmpty && priorities.messages.isEmpty && coalescer.isIdle)
        #expect(work.priority == .high)
    }

    @Test("work runs on the executor that it was given")
    func executor() async throws {
        let executor = SeededExecutor(seed: 1)
        let coalescer = SharedWorkCoalescer<String, Int>(executor: executor)
        let waiter = Task(executorPreference: executor) {
            try await coalescer.value(for: "a", priority: .low, onProgress: { _ in }) {
                _ in 7
            }
        }
        #expect(executor.step())
        #expect(executor.readyCount == 1)
        executor.run()
        #expect(coalescer.isIdle)
        #expect(try await waiter.value == 7)
    }
}
