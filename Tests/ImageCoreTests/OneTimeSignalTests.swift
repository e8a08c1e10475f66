import ImageCore
import ImageTesting
import Testing

@Suite("OneTimeSignal")
struct OneTimeSignalTests {
    private struct Failure: Error {}

    private let signal = OneTimeSignal()
    private let executor = SeededExecutor(seed: 1)

    @Test("a waiting task continues after the event")
    func sentLater() async throws {
        let task = Task(executorPreference: executor) { [signal] in try await signal.wait() }
        executor.run()
        signal.send()
        executor.run()
        try await task.value
    }

    @Test("only the first event counts, also before a task waits")
    func sentBefore() async throws {
        signal.send()
        signal.fail(Failure())
        try await signal.wait()
    }

    @Test("a cancelled task receives CancellationError, and a later event is ignored")
    func cancelled() async {
        let task = Task(executorPreference: executor) { [signal] in try await signal.wait() }
        executor.run()
        task.cancel()
        executor.run()
        await #expect(throws: CancellationError.self) { try await task.value }
        signal.send()
    }
}
