import ImageCore
import Testing

@testable import ImageTesting

@Suite("Watched")
struct WatchedTests {
    @Test("a waiter continues when its condition is true, immediately or later, and no other waiter does")
    func reaches() async {
        let watched = Watched(0)
        await watched.waitUntil { $0 == 0 }
        let (checked, continued) = (TestGate(), TestGate())
        let two = Task {
            await watched.waitUntil { value in
                checked.open()
                return value == 2
            }
            continued.open()
        }
        await checked.whenOpen()
        let changed = watched.change { value in
            value = 1
            return value
        }
        #expect(changed == 1)
        watched.change { $0 = 2 }
        await two.value
        await continued.whenOpen()
        #expect(watched.value == 2)
    }

    @Test("a waiter continues if it is cancelled, before or while it waits, and others keep waiting")
    func cancelled() async {
        let watched = Watched(0)
        let checks = Watched(0)
        let waiters = (0..<3).map { _ in
            Task {
                await watched.waitUntil { value in
                    checks.change { $0 += 1 }
                    return value == 1
                }
            }
        }
        await checks.waitUntil { $0 == 3 }
        waiters[1].cancel()
        await waiters[1].value
        watched.change { $0 = 1 }
        for waiter in waiters { await waiter.value }
        #expect(checks.value == 5, "the cancelled condition is not checked again")
        let late = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await watched.waitUntil { _ in false }
        }
        await late.value
    }

    @Test(
        "cancellation ends waiting for a gate, arrivals, an event or a message, but does not let a task pass a gate"
    )
    func everywhere() async {
        let (gate, observer, log) = (TestGate(), RecordingObserver(), MessageLog<Int>())
        let waiters = [
            Task { await gate.whenOpen() }, Task { await gate.waitForArrivals(2) },
            Task { await observer.waitForEvent(.started) },
            Task { await log.waitForCount(1) },
        ]
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { await waiter.value }
        let passed = TestGate()
        let held = Task {
            await gate.pass()
            passed.open()
            await passed.pass()
        }
        await gate.waitForArrivals(1)
        held.cancel()
        #expect(passed.arrivalCount == 0)
        gate.open()
        await held.value
        #expect(passed.arrivalCount == 1)
        await gate.whenOpen()
    }
}
