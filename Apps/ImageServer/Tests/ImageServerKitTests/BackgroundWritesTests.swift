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
        // The flush begins while both writes run, and has time to end too early.
        for (ended, gate) in gates.enumerated() {
            await log.waitUntil { $0.count >= ended }
            for _ in 0..<1_000 { await Task.yield() }
            gate.open()
        }
        await flush.value
        #expect(log.value == ["write 0", "write 1", "flushed"])
    }
}
