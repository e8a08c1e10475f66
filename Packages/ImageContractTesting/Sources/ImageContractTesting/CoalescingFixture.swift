import ImageCore
import ImageTesting
import Synchronization

/// Callers of a coalescer, each in its own task. Their operations report 0 bytes and then wait at a gate.
final class CoalescingFixture: Sendable {
    struct Answer: Sendable {
        var caller: Int
        var result: Result<Int, any Error>
    }

    private struct Caller: Sendable {
        let priority = LivePriority(.normal)
        let progress = MessageLog<WorkProgress>()
        var task: Task<Void, Never>?
    }

    let coalescer: any RequestCoalescer<String, Int>
    /// Suspends the operations that have no other gate.
    let gate = TestGate()
    /// The operations that were started, in order.
    let operations = MessageLog<any SharedOperation>()
    let answers = MessageLog<Answer>()
    /// For each operation that has ended, whether its task was cancelled.
    let cancellations = MessageLog<Bool>()
    private let callers = Mutex<[Int: Caller]>([:])

    init(_ coalescer: any RequestCoalescer<String, Int>) { self.coalescer = coalescer }

    // MARK: Callers

    /// Starts a caller, and returns when it has received its first progress. It has joined an operation then.
    func join(
        _ caller: Int, _ priority: RequestPriority = .normal, key: String = "key", gate: TestGate? = nil,
        result: @escaping @Sendable () throws -> Int = { 7 }
    ) async throws {
        start(caller, priority, key: key, gate: gate, result: result)
        try await expectProgress(of: caller)
    }

    func start(
        _ caller: Int, _ priority: RequestPriority = .normal, key: String = "key", gate: TestGate? = nil,
        result: @escaping @Sendable () throws -> Int = { 7 }
    ) {
        self.priority(of: caller).value = priority
        let task = Task {
            await call(caller, key: key, gate: gate ?? self.gate, result: result)
        }
        callers.withLock { $0[caller, default: Caller()].task = task }
    }

    /// Calls the coalescer in the current task.
    private func call(
        _ caller: Int, key: String, gate: TestGate, result: @escaping @Sendable () throws -> Int
    ) async {
        let received = progress(of: caller)
        do {
            let value = try await coalescer.value(for: key, priority: priority(of: caller)) { progress in
                received.append(progress)
            } operation: { operation in
                try await self.run(operation, gate, result)
            }
            answers.append(Answer(caller: caller, result: .success(value)))
        } catch {
            answers.append(Answer(caller: caller, result: .failure(error)))
        }
    }

    private func run(
        _ operation: any SharedOperation, _ gate: TestGate, _ result: @Sendable () throws -> Int
    ) async throws -> Int {
        operations.append(operation)
        operation.report(WorkProgress(completedByteCount: 0, totalByteCount: nil))
        await gate.pass()
        cancellations.append(Task.isCancelled)
        return try result()
    }

    func cancel(_ caller: Int) { callers.withLock { $0[caller]?.task }?.cancel() }

    /// Cancels the caller's task, and returns when its call has ended.
    func leave(_ caller: Int) async throws {
        cancel(caller)
        let error = try await error(of: caller)
        try expect(error is CancellationError, "the cancelled caller received \(String(describing: error))")
    }

    // MARK: Results

    func progress(of caller: Int) -> MessageLog<WorkProgress> { entry(of: caller).progress }

    func bytes(of caller: Int) -> [Int] { progress(of: caller).messages.map(\.completedByteCount) }

    /// The operation that was started last.
    func operation() throws -> any SharedOperation {
        guard let operation = operations.messages.last else { throw ContractViolation("no operation was started") }
        return operation
    }

    func expectValue(_ value: Int, of caller: Int) async throws {
        let result = try await answer(of: caller)
        try expect((try? result.get()) == value, "caller \(caller) received \(result)")
    }

    /// Returns the error that the caller received, or nil if it received a value.
    func error(of caller: Int) async throws -> (any Error)? {
        guard case .failure(let error) = try await answer(of: caller) else { return nil }
        return error
    }

    func expectProgress(of caller: Int, count: Int = 1) async throws {
        let hasArrived = await progress(of: caller).reaches(count)
        try expect(hasArrived, "caller \(caller) received \(progress(of: caller).messages), expected \(count) reports")
    }

    func expectPriority(_ priority: RequestPriority, _ situation: String) async throws {
        let operation = try operation()
        let isReached = await WaitLimit.becomesTrue { operation.priority.value == priority }
        try expect(isReached, "the operation has priority \(operation.priority.value) \(situation), not \(priority)")
    }

    /// Waits until all operations have ended, and checks whether their tasks were cancelled.
    func expectCancellations(_ isCancelled: Bool) async throws {
        let count = operations.messages.count
        let haveEnded = await cancellations.reaches(count)
        try expect(haveEnded, "\(cancellations.messages.count) of \(count) operations have ended")
        try expect(cancellations.messages.allSatisfy { $0 == isCancelled }, "cancelled: \(cancellations.messages)")
    }

    /// Waits for a complete call for another key, and then yields to other tasks.
    func settle() async throws {
        let values = MessageLog<Int>()
        Task { [coalescer] in
            let priority = LivePriority(.veryLow)
            values.append(try await coalescer.value(for: "other", priority: priority, onProgress: { _ in }) { _ in 7 })
        }
        let hasEnded = await values.reaches(1)
        try expect(hasEnded, "a call of another key did not end")
        for _ in 0..<50 { await Task.yield() }
    }

    func priority(of caller: Int) -> LivePriority { entry(of: caller).priority }

    private func entry(of caller: Int) -> Caller {
        callers.withLock { callers in
            let entry = callers[caller] ?? Caller()
            callers[caller] = entry
            return entry
        }
    }

    private func answer(of caller: Int) async throws -> Result<Int, any Error> {
        _ = await WaitLimit.becomesTrue { self.answers.messages.contains { $0.caller == caller } }
        let answer = answers.messages.first { $0.caller == caller }
        guard let answer else { throw ContractViolation("the call of caller \(caller) did not end") }
        return answer.result
    }
}
