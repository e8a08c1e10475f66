import ImageCoalescing
import ImageCore
import Testing

@testable import ImageTesting

@Suite("Coalescer under load", .timeLimit(.minutes(10)))
struct CoalescerStressTests {
    @Test(
        "callers that join, change priority and leave at random receive one result each, and then the coalescer is idle"
    )
    func threads() async {
        let (coalescer, outcomes) = (TaskCoalescer<Int, Int>(), MessageLog<Bool>())
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...4 { group.addTask { await Self.call(300, coalescer, seed: UInt64(seed), outcomes) } }
        }
        await outcomes.waitForCount(1_200)
        #expect(outcomes.messages == Array(repeating: true, count: 1_200))
        await becomesTrue { coalescer.isIdle }
    }

    @Test("the same holds for schedules that a seed determines", arguments: 1...60 as ClosedRange<UInt64>)
    func schedules(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let (coalescer, outcomes) = (TaskCoalescer<Int, Int>(executor: executor), MessageLog<Bool>())
        var random = SeededRandom(seed: seed)
        for number in 0..<60 {
            let caller = RandomCaller(key: number % 3, coalescer, &random)
            let task = Task(executorPreference: executor) { outcomes.append(await caller.hasExpectedResult()) }
            executor.run(steps: Int.random(in: 0...4, using: &random))
            caller.priority.value = .anyCase(&random)
            if Bool.random(using: &random) { task.cancel() }
        }
        executor.run()
        #expect(outcomes.messages == Array(repeating: true, count: 60))
        #expect(coalescer.isIdle)
    }

    private static func call(
        _ count: Int, _ coalescer: TaskCoalescer<Int, Int>, seed: UInt64, _ outcomes: MessageLog<Bool>
    ) async {
        var random = SeededRandom(seed: seed)
        for _ in 0..<count {
            let caller = RandomCaller(key: Int.random(in: 0..<3, using: &random), coalescer, &random)
            let task = Task { outcomes.append(await caller.hasExpectedResult()) }
            if Bool.random(using: &random) { await Task.yield() }
            caller.priority.value = .anyCase(&random)
            if Bool.random(using: &random) { task.cancel() }
        }
    }
}

private struct RandomCaller: Sendable {
    let key: Int
    let coalescer: TaskCoalescer<Int, Int>
    let priority: LivePriority
    private let progress = MessageLog<Int>()

    init(key: Int, _ coalescer: TaskCoalescer<Int, Int>, _ random: inout SeededRandom) {
        self.key = key
        self.coalescer = coalescer
        priority = LivePriority(.anyCase(&random))
    }

    /// Returns whether the call returns the key, or throws if it was cancelled, after progress in order.
    func hasExpectedResult() async -> Bool {
        do {
            let value = try await coalescer.value(for: key, priority: priority) { [progress] in
                progress.append($0.completedByteCount)
            } operation: { operation in
                let observation = operation.priority.observe { _ in }
                defer { observation.cancel() }
                for count in 1...3 {
                    operation.report(bytes(count))
                    await Task.yield()
                }
                return key
            }
            return value == key && progress.messages == Array([1, 2, 3].suffix(progress.messages.count))
                && !progress.messages.isEmpty
        } catch {
            return error is CancellationError && Task.isCancelled
        }
    }
}

extension RequestPriority {
    fileprivate static func anyCase(_ random: inout SeededRandom) -> RequestPriority {
        allCases.randomElement(using: &random) ?? .normal
    }
}
