import Dispatch
import ImageCoalescing
import ImageCore
import ImageTesting
import Testing

@Suite("Priority of shared operations", .timeLimit(.minutes(5)))
struct SharedPriorityTests {
    private let fixture = CoalescerFixture()

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
