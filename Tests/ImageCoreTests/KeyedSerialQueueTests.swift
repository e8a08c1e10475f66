import ImageTesting
import Testing

@testable import ImageCore

@Suite("A queue for each key")
struct KeyedSerialQueueTests {
    private struct Failed: Error {}

    private let queue = KeyedSerialQueue()
    private let log = MessageLog<String>()
    private let executor = SeededExecutor(seed: 1)

    /// Starts an operation, which waits at the gate, and runs it as far as it gets.
    private func start(_ name: String, on key: String, _ gate: TestGate, throwing: Bool = false) -> Task<
        Void, any Error
    > {
        let task = Task(executorPreference: executor) { [queue, log] in
            try await queue.perform(key) {
                log.append("\(name) begins")
                await gate.pass()
                log.append("\(name) ends")
                if throwing { throw Failed() }
            }
        }
        executor.run()
        return task
    }

    @Test("operations on a key run one after another in order, also after one that throws; other keys don't wait")
    func order() async throws {
        let gate = TestGate()
        let first = start("1", on: "a", gate, throwing: true)
        let later = ["2", "3"].map { start($0, on: "a", gate) }
        let other = start("other", on: "b", gate)
        #expect(log.messages == ["1 begins", "other begins"])
        gate.open()
        while !queue.isIdle {
            executor.run()
            await Task.yield()
        }
        executor.run()
        await #expect(throws: Failed.self) { try await first.value }
        for task in later + [other] { try await task.value }
        #expect(
            log.messages.filter { !$0.hasPrefix("other") }
                == ["1", "2", "3"].flatMap { ["\($0) begins", "\($0) ends"] })
    }

    @Test("a cancelled operation waits for its turn too")
    func cancelled() async throws {
        let gate = TestGate()
        let first = start("1", on: "a", gate)
        let second = start("2", on: "a", gate)
        second.cancel()
        executor.run()
        #expect(log.messages == ["1 begins"])
        gate.open()
        while !queue.isIdle {
            executor.run()
            await Task.yield()
        }
        executor.run()
        for task in [first, second] { try await task.value }
        #expect(log.messages.count == 4)
    }
}
