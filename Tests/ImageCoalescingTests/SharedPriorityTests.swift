import Dispatch
import ImageCoalescing
import ImageCore
import ImageTesting
import Testing

@Suite("Priority of shared operations", .timeLimit(.minutes(5)))
struct SharedPriorityTests {
    private let fixture = CoalescerFixture()

    @Test("an operation has the highest of its callers' priorities, as they join, change and leave")
    func highest() async {
        let low = await fixture.join(.low)
        let priority = fixture.operations.messages[0].priority
        #expect(priority.value == .low)
        let high = await fixture.join(.high)
        #expect(priority.value == .high)
        low.priority.set(.veryHigh)
        #expect(priority.value == .veryHigh)
        low.priority.set(.normal)
        #expect(priority.value == .high)
        await high.leave()
        #expect(priority.value == .normal)
        fixture.gate.open()
        _ = await low.task.result
    }

    @Test("observers are called after each change of the highest priority")
    func observers() async {
        let low = await fixture.join(.low)
        let values = MessageLog<RequestPriority>()
        let observation = fixture.operations.messages[0].priority.observe { values.append($0.value) }
        let high = await fixture.join(.high)
        let lowest = await fixture.join(.veryLow)
        low.priority.set(.normal)
        await high.leave()
        lowest.priority.set(.veryHigh)
        observation.end()
        low.priority.set(.veryHigh)
        #expect(values.messages == [.high, .normal, .veryHigh])
        fixture.gate.open()
        _ = await low.task.result
    }

    @Test("an observer may change the priority of a caller")
    func reentrant() async {
        let caller = await fixture.join(.low)
        let priority = fixture.operations.messages[0].priority
        let observation = priority.observe { [source = caller.priority] in
            if $0.value == .normal { source.set(.high) }
        }
        caller.priority.set(.normal)
        #expect(priority.value == .high)
        observation.end()
        fixture.gate.open()
        _ = await caller.task.result
    }

    @Test("the priority of a call that has ended does not affect a later operation of its key")
    func endedCall() async throws {
        let first = await fixture.join(.low)
        await first.leave()
        let second = fixture.call(.low)
        await fixture.operations.reaches(2)
        first.priority.set(.high)
        #expect(fixture.operations.messages.map(\.priority.value) == [.veryLow, .low])
        fixture.gate.open()
        #expect(try await second.task.value == 7)
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
