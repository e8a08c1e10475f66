import ImageCoalescing
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("Coalescer under load")
struct CoalescerStressTests {
    @Test(
        "waiters that come, change and go at random are each answered once, and nothing is left behind",
        .timeLimit(.minutes(10)))
    func stress() async {
        let coalescer = SharedWorkCoalescer<Int, Int>()
        let outcomes = MessageLog<Bool>()
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...4 { group.addTask { await Self.ask(300, of: coalescer, seed: UInt64(seed), outcomes) } }
        }
        await outcomes.reaches(1_200)
        #expect(outcomes.messages.count == 1_200)
        #expect(outcomes.messages.allSatisfy { $0 })
        await becomesTrue { coalescer.isIdle }
    }

    private static func ask(
        _ count: Int, of coalescer: SharedWorkCoalescer<Int, Int>, seed: UInt64, _ outcomes: MessageLog<Bool>
    ) async {
        var random = SeededRandom(seed: seed)
        for _ in 0..<count {
            let key = Int.random(in: 0..<3, using: &random)
            let place = Mutex<(any SharedWorkPlace)?>(nil)
            let task = Task { await isRight(key, coalescer) { joined in place.withLock { $0 = joined } } }
            Task { outcomes.append(await task.value) }
            if Bool.random(using: &random) { await Task.yield() }
            let priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
            place.withLock { $0 }?.setPriority(priority)
            if Bool.random(using: &random) { task.cancel() }
        }
    }

    /// True when the answer is one that the waiter may get: the key, or cancellation if it was cancelled.
    private static func isRight(
        _ key: Int, _ coalescer: SharedWorkCoalescer<Int, Int>, onJoin: (any SharedWorkPlace) -> Void
    ) async -> Bool {
        do {
            let value = try await coalescer.value(for: key, priority: .low, onJoin: onJoin) { work in
                work.onPriorityChange { _ in }
                work.report(WorkProgress(completedBytes: key, totalBytes: nil))
                await Task.yield()
                try Task.checkCancellation()
                return key
            }
            return value == key
        } catch {
            return error is CancellationError && Task.isCancelled
        }
    }
}
