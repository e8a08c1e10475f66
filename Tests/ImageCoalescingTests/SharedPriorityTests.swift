import Dispatch
import ImageCoalescing
import ImageCore
import Testing

@testable import ImageTesting

@Suite("Priority of shared operations", .timeLimit(.minutes(5)))
struct SharedPriorityTests {
    private let fixture = CoalescerFixture()

    @Test("an observer may change the priority of a caller")
    func reentrant() async {
        let caller = await fixture.join(.low)
        let priority = fixture.operations.messages[0].priority
        let observation = priority.observe { [source = caller.priority] in
            if $0.value == .normal { source.value = .high }
        }
        caller.priority.value = .normal
        #expect(priority.value == .high)
        observation.cancel()
        fixture.gate.open()
        _ = await caller.task.result
    }

    @Test("the operation has its caller's priority when it starts")
    func firstPriority() async throws {
        let (executor, first) = (HookedExecutor(), MessageLog<RequestPriority>())
        // The operation runs on another thread before the call that starts it continues.
        executor.onEnqueue.change { $0 = { runOnAnotherThread { executor.base.run() } } }
        let coalescer = TaskCoalescer<String, Int>(executor: executor)
        _ = try await coalescer.value(for: "a", priority: LivePriority(.veryHigh), onProgress: { _ in }) {
            first.append($0.priority.value)
            return 7
        }
        #expect(first.messages == [.veryHigh])
    }

    @Test("a priority that changes while the caller joins takes effect")
    func changedDuringJoin() async {
        let first = await fixture.join(.low)
        let operation = fixture.operations.messages[0]
        operation.report(bytes(1))
        let priority = LivePriority(.low)
        let second = Task { [coalescer = fixture.coalescer] in
            // The latest progress arrives during the join.
            try await coalescer.value(for: "a", priority: priority) { _ in
                priority.value = .veryHigh
            } operation: { _ in
                0
            }
        }
        await fixture.callers(2)
        await becomesTrue { operation.priority.value == .veryHigh }
        fixture.gate.open()
        _ = await (first.task.result, second.result)
    }

    @Test("observers are called after each change of the maximum, which callers that have left do not influence")
    func observers() async {
        let (first, second) = (await fixture.join(.low), await fixture.join(.veryLow))
        let (values, priority) = (MessageLog<RequestPriority>(), fixture.operations.messages[0].priority)
        let observation = priority.observe { values.append($0.value) }
        for value in [RequestPriority.normal, .high] { second.priority.value = value }
        first.priority.value = .normal
        second.task.cancel()
        #expect(priority.value == .normal, "a caller has left when cancel returns")
        second.priority.value = .veryHigh
        #expect(values.messages == [.normal, .high, .normal] && priority.value == .normal)
        observation.cancel()
        fixture.gate.open()
        _ = await (first.task.result, second.task.result)
    }
}

/// Runs a function on another thread and waits for it.
private func runOnAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    DispatchQueue(label: "another thread").async {
        body()
        end.signal()
    }
    end.wait()
}
