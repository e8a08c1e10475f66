import ImageCoalescing
import ImageCore
import ImageTesting
import Testing

@Suite("Priority of shared work")
struct SharedPriorityTests {
    private let coalescer = SharedWorkCoalescer<String, Int>()
    private let works = MessageLog<any SharedWork>()
    private let gate = Gate()

    private func wait(_ number: UInt64, _ priority: RequestPriority) async -> Task<Int, any Error> {
        let before = coalescer.waiterCount
        let task = Task { [coalescer, works, gate] in
            try await coalescer.value(
                for: "a", waiter: WaiterID(rawValue: number), priority: priority, onProgress: { _ in }
            ) { work in
                works.append(work)
                await gate.pass()
                return 1
            }
        }
        await becomesTrue { coalescer.waiterCount > before }
        await works.reaches(1)
        return task
    }

    private func leave(_ task: Task<Int, any Error>) async {
        task.cancel()
        _ = await task.result
    }

    @Test("it is the maximum of the waiters' priorities, as they join, change and leave")
    func maximum() async {
        let low = await wait(1, .low)
        let work = works.messages[0]
        #expect(work.priority == .low)
        let high = await wait(2, .high)
        #expect(work.priority == .high)
        coalescer.setPriority(.veryHigh, of: WaiterID(rawValue: 1))
        #expect(work.priority == .veryHigh)
        coalescer.setPriority(.normal, of: WaiterID(rawValue: 1))
        #expect(work.priority == .high)
        await leave(high)
        #expect(work.priority == .normal)
        gate.open()
        _ = await low.result
    }

    @Test("a handler is told the maximum now, and each new one")
    func handler() async {
        let low = await wait(1, .low)
        let told = MessageLog<RequestPriority>()
        coalescer.setPriority(.normal, of: WaiterID(rawValue: 1))
        works.messages[0].onPriorityChange { told.append($0) }
        let high = await wait(2, .high)
        _ = await wait(3, .veryLow)
        await leave(high)
        coalescer.setPriority(.veryHigh, of: WaiterID(rawValue: 3))
        #expect(told.messages == [.normal, .high, .normal, .veryHigh])
        gate.open()
        _ = await low.result
    }

    @Test("a handler replaces the one before")
    func replacedHandler() async {
        let waiter = await wait(1, .low)
        let (first, second) = (MessageLog<RequestPriority>(), MessageLog<RequestPriority>())
        works.messages[0].onPriorityChange { first.append($0) }
        works.messages[0].onPriorityChange { second.append($0) }
        coalescer.setPriority(.high, of: WaiterID(rawValue: 1))
        #expect(first.messages == [.low])
        #expect(second.messages == [.low, .high])
        gate.open()
        _ = await waiter.result
    }

    @Test("a handler may call the coalescer; what follows is told after it, in order")
    func reentrantHandler() async {
        let waiter = await wait(1, .low)
        let told = MessageLog<RequestPriority>()
        works.messages[0].onPriorityChange { [coalescer] priority in
            if priority == .normal { coalescer.setPriority(.high, of: WaiterID(rawValue: 1)) }
            told.append(priority)
        }
        coalescer.setPriority(.normal, of: WaiterID(rawValue: 1))
        #expect(told.messages == [.low, .normal, .high])
        gate.open()
        _ = await waiter.result
    }

    @Test("a waiter that waits twice under one name is changed in both places")
    func sameName() async {
        let first = await wait(1, .low)
        let second = await wait(1, .low)
        coalescer.setPriority(.high, of: WaiterID(rawValue: 1))
        await leave(first)
        #expect(works.messages[0].priority == .high)
        gate.open()
        _ = await second.result
    }

    @Test("an unknown waiter's priority changes nothing")
    func unknownWaiter() async {
        let waiter = await wait(1, .low)
        coalescer.setPriority(.high, of: WaiterID(rawValue: 9))
        #expect(works.messages[0].priority == .low)
        gate.open()
        _ = await waiter.result
    }

    @Test("handlers are let go when the work is over, with all that they hold")
    func letsGo() async {
        final class Payload: Sendable {}
        let waiter = await wait(1, .low)
        weak var payload: Payload?
        do {
            let held = Payload()
            payload = held
            works.messages[0].onPriorityChange { _ in withExtendedLifetime(held) {} }
        }
        #expect(payload != nil)
        gate.open()
        _ = await waiter.result
        await becomesTrue { coalescer.isIdle }
        await becomesTrue { payload == nil }
    }
}
