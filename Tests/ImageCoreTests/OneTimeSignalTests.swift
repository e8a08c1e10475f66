import ImageCore
import Testing

@Suite("OneTimeSignal")
struct OneTimeSignalTests {
    private struct Failure: Error {}

    @Test("a waiting task continues after the event")
    func sentLater() async throws {
        let signal = OneTimeSignal()
        async let end: Void = signal.wait()
        signal.send()
        try await end
    }

    @Test("only the first event counts, also before a task waits")
    func sentBefore() async throws {
        let signal = OneTimeSignal()
        signal.send()
        signal.fail(Failure())
        try await signal.wait()
    }

    @Test("a cancelled task receives CancellationError, and a later event is ignored")
    func cancelled() async {
        let signal = OneTimeSignal()
        let task = Task { try await signal.wait() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        signal.send()
    }
}
