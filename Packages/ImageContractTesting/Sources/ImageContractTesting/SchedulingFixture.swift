import ImageCore
import ImageTesting
import Synchronization

/// Calls of a scheduler, each in its own task, one after the other.
///
/// The tasks use an executor that the rule controls. Each call waits or runs before the next call is made.
final class SchedulingFixture: Sendable {
    private struct Call: Sendable {
        let priority: LivePriority
        let task: Task<Void, Never>
    }

    let scheduler: any WorkScheduler
    let gate = TestGate()
    /// The calls whose work has started, in order.
    let starts = MessageLog<Int>()
    private let executor = SeededExecutor(seed: 1)
    private let answers = Mutex<[Int: [Result<Int, any Error>]]>([:])
    private let calls = Mutex<[Int: Call]>([:])

    init(_ scheduler: any WorkScheduler) { self.scheduler = scheduler }

    // MARK: Calls

    /// Makes a call whose work returns its number, and returns when the call waits, runs or has ended.
    func call(
        _ number: Int, _ priority: RequestPriority = .normal,
        work: @escaping @Sendable () async throws -> Void = {}
    ) async {
        let priority = LivePriority(priority)
        let task = Task(executorPreference: executor) { await self.run(number, priority, work) }
        calls.withLock { $0[number] = Call(priority: priority, task: task) }
        await letTasksRun()
    }

    private func run(
        _ number: Int, _ priority: LivePriority, _ work: @Sendable () async throws -> Void
    ) async {
        await answer(number) {
            try await scheduler.run(in: .decode, server: nil, priority: priority) { [starts] moved in
                starts.append(number)
                moved(1)
                try await work()
                return number
            }
        }
    }

    private func answer(_ number: Int, with call: () async throws -> Int) async {
        do {
            let value = try await call()
            answers.withLock { $0[number, default: []].append(.success(value)) }
        } catch {
            answers.withLock { $0[number, default: []].append(.failure(error)) }
        }
    }

    /// Makes a call whose work runs until the gate opens.
    func hold(_ number: Int, _ priority: RequestPriority = .normal) async throws {
        await call(number, priority) { [gate] in await gate.pass() }
        try await expectStarted(number)
    }

    func setPriority(_ priority: RequestPriority, of number: Int) {
        calls.withLock { $0[number]?.priority }?.value = priority
    }

    /// Cancels the task of the call.
    func cancel(_ number: Int) { calls.withLock { $0[number]?.task }?.cancel() }

    /// Lets the tasks of all calls continue.
    func letTasksRun() async {
        for _ in 0..<20 {
            executor.run()
            await Task.yield()
        }
    }

    // MARK: Results

    func becomesTrue(_ condition: () -> Bool) async -> Bool {
        await WaitLimit.becomesTrue {
            executor.run()
            return condition()
        }
    }

    func answers(of number: Int) -> [Result<Int, any Error>] { answers.withLock { $0[number, default: []] } }

    func expectStarted(_ number: Int) async throws {
        let hasStarted = await becomesTrue { starts.messages.contains(number) }
        try expect(hasStarted, "work \(number) did not start")
    }

    func expectValue(of number: Int) async throws {
        let answer = try await answer(of: number)
        try expect((try? answer.get()) == number, "call \(number) ended with \(answer)")
    }

    func expectCancellation(of number: Int) async throws {
        let answer = try await answer(of: number)
        guard case .failure(is CancellationError) = answer else {
            throw ContractViolation("the cancelled call \(number) ended with \(answer)")
        }
    }

    func answer(of number: Int) async throws -> Result<Int, any Error> {
        let hasEnded = await becomesTrue { !answers(of: number).isEmpty }
        try expect(hasEnded, "call \(number) did not end")
        return answers(of: number)[0]
    }

    /// Opens the gate, and checks that only this work starts, in this order.
    func expectStarts(_ expected: [Int]) async throws {
        gate.open()
        let areComplete = await becomesTrue { starts.messages.count >= expected.count }
        try expect(areComplete, "only \(starts.messages) started, expected \(expected)")
        await call(.max, .veryLow)
        try await expectValue(of: .max)
        let others = starts.messages.filter { $0 != .max }
        try expect(others == expected, "started in the order \(others), expected \(expected)")
    }
}
