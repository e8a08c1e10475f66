import ImageCoalescing
import ImageCore

@testable import ImageTesting

/// A coalescer whose operations wait at a gate.
struct CoalescerFixture {
    struct Caller {
        let task: Task<Int, any Error>
        let priority: LivePriority
        let progress: MessageLog<WorkProgress>

        /// Cancels the task and returns when its call has ended.
        func leave() async {
            task.cancel()
            _ = await task.result
        }
    }

    let coalescer = TaskCoalescer<String, Int>()
    /// The operations that were started, in order.
    let operations = MessageLog<any SharedOperation>()
    let gate = TestGate()

    func call(
        _ priority: RequestPriority = .normal, key: String = "a", gate other: TestGate? = nil,
        result: @escaping @Sendable () throws -> Int = { 7 }
    ) -> Caller {
        let (priority, progress) = (LivePriority(priority), MessageLog<WorkProgress>())
        let task = Task { [coalescer, operations, gate] in
            try await coalescer.value(for: key, priority: priority, onProgress: { progress.append($0) }) { operation in
                operations.append(operation)
                await (other ?? gate).pass()
                return try result()
            }
        }
        return Caller(task: task, priority: priority, progress: progress)
    }

    /// Makes a call, and returns when it waits and an operation runs.
    func join(_ priority: RequestPriority = .normal, result: @escaping @Sendable () throws -> Int = { 7 }) async
        -> Caller
    {
        let count = coalescer.callerCount
        let caller = call(priority, result: result)
        await callers(count + 1)
        await operations.waitForCount(1)
        return caller
    }

    func callers(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await becomesTrue(file: file, line: line) { coalescer.callerCount == count }
    }

    func becomesIdle(file: StaticString = #fileID, line: UInt = #line) async {
        await becomesTrue(file: file, line: line) { coalescer.isIdle }
    }
}

func bytes(_ count: Int) -> WorkProgress { WorkProgress(completedByteCount: count, totalByteCount: 100) }

/// An executor that calls a function when a task becomes ready, before the task runs.
final class HookedExecutor: TaskExecutor {
    let base = SeededExecutor(seed: 1)
    let onEnqueue = Watched<@Sendable () -> Void>({})

    func enqueue(_ job: consuming ExecutorJob) {
        base.enqueue(job)
        onEnqueue.value()
    }
}
