import ImageCore
import ImageTesting
import Testing

@Suite("Waiting in a test")
struct WatchedTests {
    @Test("a waiter continues when its condition is true, at once or later, and no other waiter does")
    func reaches() async {
        let watched = Watched(0)
        await watched.reaches { $0 == 0 }
        let (asked, later) = (Gate(), Gate())
        let two = Task {
            await watched.reaches { value in
                asked.open()
                return value == 2
            }
            later.open()
        }
        await asked.whenOpen()
        let changed = watched.change { value in
            value = 1
            return value
        }
        #expect(changed == 1)
        watched.change { $0 = 2 }
        await two.value
        await later.whenOpen()
        #expect(watched.value == 2)
    }

    @Test("a waiter is resumed when it is cancelled, before or while it waits; others go on waiting")
    func cancelled() async {
        let watched = Watched(0)
        let asked = Watched(0)
        let waiters = (0..<3).map { _ in
            Task {
                await watched.reaches { value in
                    asked.change { $0 += 1 }
                    return value == 1
                }
            }
        }
        await asked.reaches { $0 == 3 }
        waiters[1].cancel()
        await waiters[1].value
        watched.change { $0 = 1 }
        for waiter in waiters { await waiter.value }
        #expect(asked.value == 5, "the one that left is not asked any more")
        let late = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await watched.reaches { _ in false }
        }
        await late.value
    }

    @Test(
        "a test that waits for a gate, its arrivals, an event or a message is let go when it is cancelled; who is held is not"
    )
    func everywhere() async {
        let (gate, observer, log) = (Gate(), RecordingObserver(), MessageLog<Int>())
        let waiters = [
            Task { await gate.whenOpen() }, Task { await gate.arrivals(2) }, Task { await observer.event(.started) },
            Task { await log.reaches(1) },
        ]
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { await waiter.value }
        let passed = Gate()
        let held = Task {
            await gate.pass()
            passed.open()
            await passed.pass()
        }
        await gate.arrivals(1)
        held.cancel()
        #expect(passed.arrivalCount == 0)
        gate.open()
        await held.value
        #expect(passed.arrivalCount == 1)
        await gate.whenOpen()
    }
}
