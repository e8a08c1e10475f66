import ImageTesting
import Testing

@testable import ImageServerKit

@Suite("Writes in the background")
struct BackgroundWritesTests {
    @Test("a flush waits for all writes that run, and a write beyond the limit is left out", .timeLimit(.minutes(10)))
    func flush() async {
        let (gates, log) = ([TestGate(), TestGate()], Watched<[String]>([]))
        let writes = BackgroundWrites(limit: 2)
        for (number, gate) in gates.enumerated() {
            writes.run {
                await gate.pass()
                log.change { $0.append("write \(number)") }
            }
        }
        writes.run { log.change { $0.append("too many") } }
        let flush = Task {
            await writes.flush()
            log.change { $0.append("flushed") }
        }
        gates[0].open()
        await log.waitUntil { $0 == ["write 0"] }
        // A flush that ends too early has time to.
        for _ in 0..<1_000 { await Task.yield() }
        gates[1].open()
        await flush.value
        #expect(log.value == ["write 0", "write 1", "flushed"])
    }
}
