import ImageCore
import ImageTesting
import Testing

@Suite("SettableConditionMonitor")
struct ConditionMonitorTests {
    @Test("each observer receives changes until its end, and a condition that lasts only if it is reported again")
    func changes() {
        let (monitor, log) = (SettableConditionMonitor(1), MessageLog<Int>())
        let first = monitor.observe { log.append($0) }
        let second = monitor.observe { log.append(10 * $0) }
        monitor.observe { log.append(100 * $0) }.cancel()
        for _ in 0..<2 { monitor.condition = 2 }
        monitor.report(2, repeats: true)
        first.cancel()
        monitor.condition = 3
        #expect(log.messages == [2, 20, 2, 20, 30] && monitor.condition == 3)
        second.cancel()
        monitor.condition = 4
        #expect(log.messages.count == 5)
    }
}
