import ImageCore
import ImageTesting
import Testing

@testable import ImageLoading

@Suite("Lane slot")
struct LaneSlotTests {
    @Test("the holder waits until the place is released")
    func release() async throws {
        let slot = LaneSlot()
        async let holder: Void = slot.hold()
        try await slot.granted()
        slot.release()
        await holder
    }

    @Test("a place granted before anyone waits for it is taken at once")
    func grantedFirst() async throws {
        let slot = LaneSlot()
        let started = Gate()
        let holder = Task {
            started.open()
            await slot.hold()
        }
        await started.whenOpen()
        try await slot.granted()
        slot.release()
        await holder.value
    }

    @Test("a slot whose closure never runs throws to whoever waits, now or later")
    func cancelled() async {
        let slot = LaneSlot()
        slot.cancel()
        await #expect(throws: CancellationError.self) { try await slot.granted() }
    }

    @Test("a release before the holder comes lets it through")
    func releasedFirst() async {
        let slot = LaneSlot()
        slot.release()
        await slot.hold()
    }

    @Test("the first outcome counts")
    func outcome() async throws {
        let outcome = LaneOutcome<Int>()
        outcome.finish(.success(1))
        outcome.finish(.success(2))
        #expect(try await outcome.value() == 1)
    }

    @Test("a priority that changes while the lane is told of it is not overwritten by the one before")
    func restlessPriority() async throws {
        let scheduler = ManualScheduler()
        let work = RestlessWork()
        async let value = scheduler.perform(in: .decode, for: work) { _ in 7 }
        await scheduler.arrivals(1)
        let id = try await scheduler.runNext()
        #expect(try await value == 7)
        #expect(scheduler.lastPriority(of: id) == work.now)
    }
}
