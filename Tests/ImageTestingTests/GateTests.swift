import ImageTesting
import Testing

@Suite("TestGate")
struct GateTests {
    @Test("a closed gate suspends tasks until it opens")
    func holds() async {
        let gate = TestGate()
        let passed = TestGate()
        passed.open()
        let tasks = (0..<3).map { _ in
            Task {
                await gate.pass()
                await passed.pass()
            }
        }
        await gate.waitForArrivals(3)
        #expect(passed.arrivalCount == 0)
        gate.open()
        for task in tasks { await task.value }
        #expect(passed.arrivalCount == 3)
        await gate.pass()
        gate.open()
        #expect(gate.arrivalCount == 4)
    }

    @Test("letOnePass lets the first waiting task pass")
    func letsOnePass() async {
        let gate = TestGate()
        let first = Task { await gate.pass() }
        await gate.waitForArrivals(1)
        let second = Task { await gate.pass() }
        await gate.waitForArrivals(2)
        gate.letOnePass()
        await first.value
        gate.letOnePass()
        await second.value
    }
}
