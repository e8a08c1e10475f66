import ImageCoalescing
import ImageCore
import Testing

@testable import ImageTesting

@Suite("TaskCoalescer", .timeLimit(.minutes(5)))
struct TaskCoalescerTests {
    private let fixture = CoalescerFixture()

    // MARK: Sharing

    @Test("an operation that throws CancellationError without being cancelled fails with another error")
    func ownCancellation() async {
        let caller = await fixture.join { throw CancellationError() }
        fixture.gate.open()
        await #expect(throws: CoalescingError.operationCancelledItself) { try await caller.task.value }
    }

    @Test("operations run on the executor of the coalescer")
    func executor() async throws {
        let executor = SeededExecutor(seed: 1)
        let coalescer = TaskCoalescer<String, Int>(executor: executor)
        let caller = Task(executorPreference: executor) {
            try await coalescer.value(for: "a", priority: LivePriority(.low), onProgress: { _ in }) { _ in 7 }
        }
        #expect(executor.step())
        #expect(executor.readyCount == 1 && !coalescer.isIdle)
        executor.run()
        #expect(coalescer.isIdle)
        #expect(try await caller.value == 7)
    }

    @Test("an operation inherits no task-local values from its caller")
    func taskLocals() async throws {
        let caller = CallerContext.$isInCaller.withValue(true) {
            fixture.call(result: { CallerContext.isInCaller ? 0 : 7 })
        }
        fixture.gate.open()
        #expect(try await caller.task.value == 7)
    }

    @Test("an operation that has ended leaves the one that follows it, and callers still join that")
    func followingOperation() async throws {
        let open = TestGate()
        open.open()
        #expect(try await fixture.call(gate: open, result: { 1 }).task.value == 1)
        let second = await fixture.join()
        await fixture.operations.waitForCount(2)
        #expect(try await fixture.call(key: "b", gate: open).task.value == 7)
        let third = await fixture.join()
        fixture.gate.open()
        for caller in [second, third] { #expect(try await caller.task.value == 7) }
        #expect(fixture.operations.messages.count == 3)
    }

    @Test("a cancelled operation that ends late leaves the one that has replaced it")
    func replacedOperation() async throws {
        final class Payload: Sendable {}
        let late = TestGate()
        weak var payload: Payload?
        do {
            let held = Payload()
            payload = held
            let first = fixture.call(gate: late) { withExtendedLifetime(held) { 1 } }
            await fixture.operations.waitForCount(1)
            await first.leave()
        }
        let second = fixture.call()
        await fixture.operations.waitForCount(2)
        late.open()
        await becomesTrue { payload == nil }
        let third = await fixture.join()
        fixture.gate.open()
        for caller in [second, third] { #expect(try await caller.task.value == 7) }
        #expect(fixture.operations.messages.count == 2)
    }

    // MARK: Cancellation

    @Test("a task that is already cancelled starts no operation")
    func alreadyCancelled() async {
        let caller = Task { [coalescer = fixture.coalescer, operations = fixture.operations] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await coalescer.value(for: "a", priority: LivePriority(.low), onProgress: { _ in }) {
                operations.append($0)
                return 7
            }
        }
        await #expect(throws: CancellationError.self) { try await caller.value }
        await fixture.becomesIdle()
        #expect(fixture.operations.messages.isEmpty)
    }

    @Test("the last caller to leave cancels the operation's task, before its call ends")
    func lastCancels() async {
        let isCancelled = Watched(false)
        let tasks = (1...2).map { _ in
            Task { [coalescer = fixture.coalescer, gate = fixture.gate] in
                try await coalescer.value(for: "a", priority: LivePriority(.normal), onProgress: { _ in }) { _ in
                    await withTaskCancellationHandler {
                        await gate.pass()
                    } onCancel: {
                        isCancelled.change { $0 = true }
                    }
                    return 1
                }
            }
        }
        await fixture.callers(2)
        await fixture.gate.waitForArrivals(1)
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(!isCancelled.value)
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        #expect(isCancelled.value && !fixture.coalescer.isIdle)
        fixture.gate.open()
        await fixture.becomesIdle()
    }

    @Test("a call that is cancelled while it joins ends at once, and does not affect the others")
    func cancelledDuringJoin() async throws {
        let first = await fixture.join(.low)
        // Called in the task that joins, before it has joined.
        let observation = fixture.operations.messages[0].priority.observe {
            if $0.value == .high { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        }
        let second = fixture.call(.high)
        await #expect(throws: CancellationError.self) { try await second.task.value }
        observation.cancel()
        #expect(fixture.coalescer.callerCount == 1)
        fixture.gate.open()
        #expect(try await first.task.value == 7)
    }

    @Test("a caller that joins while the last one leaves starts a new operation, and does not affect the cancelled one")
    func lastLeavesDuringJoin() async throws {
        let first = await fixture.join(.low)
        let old = fixture.operations.messages[0].priority
        // Called in the task that joins, before it has joined.
        let observation = old.observe { if $0.value == .high { first.task.cancel() } }
        let second = fixture.call(.high)
        await fixture.operations.waitForCount(2)
        observation.cancel()
        second.priority.value = .veryHigh
        #expect(fixture.operations.messages.map(\.priority.value) == [.veryLow, .veryHigh])
        fixture.gate.open()
        #expect(try await second.task.value == 7)
        await #expect(throws: CancellationError.self) { try await first.task.value }
    }

    // MARK: Progress

    @Test("a call that is cancelled in its progress handler ends after the handler, and receives no more")
    func cancelledInHandler() async {
        let (messages, task) = (MessageLog<Int>(), Watched<Task<Int, any Error>?>(nil))
        let start = TestGate()
        let caller = Task { [fixture] in
            await start.pass()
            return try await fixture.coalescer.value(for: "a", priority: LivePriority(.low)) { progress in
                task.value?.cancel()
                messages.append(progress.completedByteCount)
            } operation: { operation in
                for count in 1...3 { operation.report(bytes(count)) }
                return 7
            }
        }
        task.change { $0 = caller }
        start.open()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(messages.messages == [1])
        await fixture.becomesIdle()
    }

    // MARK: Closing and memory

    @Test("closing cancels what runs, and later calls throw the error of the first closing")
    func closedTwice() async {
        let isCancelled = Watched(false)
        _ = await fixture.join {
            isCancelled.change { $0 = Task.isCancelled }
            return 7
        }
        fixture.coalescer.close(throwing: ImageError.offline)
        fixture.coalescer.close(throwing: ImageError.cancelled)
        await #expect(throws: ImageError.offline) { try await fixture.call().task.value }
        fixture.gate.open()
        await fixture.becomesIdle()
        #expect(isCancelled.value)
    }

    @Test("a progress handler can close the coalescer")
    func closedByHandler() async {
        let coalescer = fixture.coalescer
        await #expect(throws: ImageError.offline) {
            try await coalescer.value(for: "a", priority: LivePriority(.low)) { _ in
                coalescer.close(throwing: ImageError.offline)
            } operation: { operation in
                operation.report(bytes(1))
                return 7
            }
        }
    }

    @Test("an operation is cancelled if the coalescer is closed while the operation starts")
    func closedDuringStart() async {
        let (executor, cancellations) = (HookedExecutor(), MessageLog<Bool>())
        let coalescer = TaskCoalescer<String, Int>(executor: executor)
        executor.onEnqueue.change { $0 = { coalescer.close(throwing: ImageError.offline) } }
        await #expect(throws: ImageError.self) {
            try await coalescer.value(for: "a", priority: LivePriority(.low), onProgress: { _ in }) { _ in
                cancellations.append(Task.isCancelled)
                return 7
            }
        }
        executor.base.run()
        #expect(cancellations.messages == [true] && coalescer.isIdle)
    }

    @Test("handlers, values and operations are released when the operation has ended", arguments: [false, true])
    func releases(_ leaves: Bool) async {
        final class Payload: Sendable {}
        weak var payload: Payload?
        let task: Task<Void, any Error>
        do {
            let held = Payload()
            payload = held
            task = Task { [coalescer = fixture.coalescer, gate = fixture.gate] in
                _ = try await coalescer.value(for: "a", priority: LivePriority(.low)) { _ in
                    withExtendedLifetime(held) {}
                } operation: { operation in
                    operation.report(bytes(1))
                    await gate.pass()
                    return withExtendedLifetime(held) { 7 }
                }
            }
        }
        await fixture.gate.waitForArrivals(1)
        #expect(payload != nil)
        if leaves { task.cancel() }
        fixture.gate.open()
        _ = await task.result
        await fixture.becomesIdle()
        await becomesTrue { payload == nil }
    }
}

private enum CallerContext {
    @TaskLocal static var isInCaller = false
}
