import ImageTesting
import Testing

@Suite("Gate")
struct GateTests {
    @Test("tasks pass an open gate immediately")
    func open() async {
        let gate = Gate()
        gate.open()
        await gate.pass()
        await gate.pass()
        #expect(gate.arrivalCount == 2)
    }

    @Test("a closed gate suspends tasks until it opens")
    func holds() async {
        let gate = Gate()
        let passed = Gate()
        passed.open()
        let tasks = (0..<3).map { _ in
            Task {
                await gate.pass()
                await passed.pass()
            }
        }
        await gate.arrivals(3)
        #expect(passed.arrivalCount == 0)
        gate.open()
        for task in tasks { await task.value }
        #expect(passed.arrivalCount == 3)
    }

    @Test("letOnePass lets the first waiting task pass")
    func letsOnePass() async {
        let gate = Gate()
        let first = Task { await gate.pass() }
        await gate.arrivals(1)
        let second = Task { await gate.pass() }
        await gate.arrivals(2)
        gate.letOnePass()
        await first.value
        gate.letOnePass()
        await second.value
    }

    @Test("letOnePass without a waiting task has no effect on later ones")
    func letsNonePass() async {
        let gate = Gate()
        gate.letOnePass()
        let passed = Gate()
        passed.open()
        let task = Task {
            await gate.pass()
            await passed.pass()
        }
        await gate.arrivals(1)
        #expect(passed.arrivalCount == 0)
        gate.open()
        await task.value
    }
}
