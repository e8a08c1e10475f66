import ImageCore
import Testing

@Suite("OneTimeSignal")
struct OneTimeSignalTests {
    @Test("a waiting task receives the value")
    func sentLater() async throws {
        let signal = OneTimeSignal<Int>()
        async let value = signal.value()
        signal.send(7)
        #expect(try await value == 7)
    }

    @Test("only the first value counts, also before a task waits")
    func sentBefore() async throws {
        let signal = OneTimeSignal<Int>()
        signal.send(1)
        signal.send(2)
        #expect(try await signal.value() == 1)
    }

    @Test("a cancelled task receives CancellationError, and a later value is ignored")
    func cancelled() async {
        let signal = OneTimeSignal<Int>()
        let task = Task { try await signal.value() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        signal.send(7)
    }
}
