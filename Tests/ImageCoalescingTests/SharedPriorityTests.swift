import ImageCoalescing
import ImageCore
import ImageTesting
import Testing

@Suite("Priority of shared work")
struct SharedPriorityTests {
    private let coalescer = SharedWorkCoalescer<String, Int>()
    private let works = MessageLog<any SharedWork>()
    private let gate = Gate()

    private struct Waiter {
        let task: Task<Int, any Error>
        let place: any SharedWorkPlace
    }

    private func wait(_ priority: RequestPriority) async -> Waiter {
        let places = MessageLog<any SharedWorkPlace>()
        let task = Task { [coalescer, works, gate] in
            try await coalescer.value(for: "a", priority: priority, onJoin: { places.append($0) }) { work in
                works.append(work)
                await gate.pass()
                return 1
            }
        }
        await places.reaches(1)
        await works.reaches(1)
        return Waiter(task: task, place: places.messages[0])
    }

    private func leave(_ waiter: Waiter) async {
        waiter.task.cancel()
        _ = await waiter.task.result
    }

    @Test("it is the maximum of the waiters' priorities, as they join, change and leave")
    func maximum() async {
        let low = await wait(.low)
        let work = works.messages[0]
        #expect(work.priority == .low)
        let high = await wait(.high)
        #expect(work.priority == .high)
        low.place.setPriority(.veryHigh)
        #expect(work.priority == .veryHigh)
        low.place.setPriority(.normal)
        #expect(work.priority == .high)
        await leave(high)
        #expect(work.priority == .normal)
        gate.open()
        _ = await low.task.result
    }

    @Test("a handler is told the maximum now, and each new one")
    func handler() async {
        let low = await wait(.low)
        let told = MessageLog<RequestPriority>()
        low.place.setPriority(.normal)
        works.messages[0].onPriorityChange { told.append($0) }
        let high = await wait(.high)
        let lowest = await wait(.veryLow)
        await leave(high)
        lowest.place.setPriority(.veryHigh)
        #expect(told.messages == [.normal, .high, .normal, .veryHigh])
        gate.open()
        _ = await low.task.result
    }

    @Test("a handler replaces the one before")
    func replacedHandler() async {
        let waiter = await wait(.low)
        let (first, second) = (MessageLog<RequestPriority>(), MessageLog<RequestPriority>())
        works.messages[0].onPriorityChange { first.append($0) }
        works.messages[0].onPriorityChange { second.append($0) }
        waiter.place.setPriority(.high)
        #expect(first.messages == [.low])
        #expect(second.messages == [.low, .high])
        gate.open()
        _ = await waiter.task.result
    }

    @Test("a handler may call the coalescer; what follows is told after it, in order")
    func reentrantHandler() async {
        let waiter = await wait(.low)
        let told = MessageLog<RequestPriority>()
        works.messages[0].onPriorityChange { [place = waiter.place] priority in
            if priority == .normal { place.setPriority(.high) }
            told.append(priority)
        }
        waiter.place.setPriority(.normal)
        #expect(told.messages == [.low, .normal, .high])
        gate.open()
        _ = await waiter.task.result
    }

    @Test("the place of a waiter that was answered changes nothing for work under the same key that begins later")
    func oldPlace() async throws {
        let first = await wait(.low)
        await leave(first)
        let second = await wait(.low)
        await works.reaches(2)
        first.place.setPriority(.high)
        first.place.leave()
        #expect(works.messages[1].priority == .low && coalescer.waiterCount == 1)
        gate.open()
        #expect(try await second.task.value == 1)
    }

    @Test("handlers are let go when the work is over, with all that they hold")
    func letsGo() async {
        final class Payload: Sendable {}
        let waiter = await wait(.low)
        weak var payload: Payload?
        do {
            let held = Payload()
            payload = held
            works.messages[0].onPriorityChange { _ in withExtendedLifetime(held) {} }
        }
        #expect(payload != nil)
        gate.open()
        _ = await waiter.task.result
        await becomesTrue { coalescer.isIdle }
        await becomesTrue { payload == nil }
    }
}
