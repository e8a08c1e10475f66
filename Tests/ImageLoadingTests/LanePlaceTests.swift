import ImageCore
import ImageScheduling
import ImageTesting
import Testing

@testable import ImageLoading

@Suite("Places in lanes")
struct LanePlaceTests {
    @Test("whoever waits goes on when the place is there")
    func granted() async throws {
        let place = Permission()
        async let waiting = place.value()
        place.give()
        #expect(try await waiting)
    }

    @Test("a place granted before anyone waits for it is taken at once, and cancelled too late")
    func grantedFirst() async throws {
        let place = Permission()
        place.give()
        place.cancel()
        #expect(try await place.value())
    }

    @Test("a place that is cancelled throws to whoever waits, now or later, and is granted too late")
    func cancelled() async {
        let place = Permission()
        place.cancel()
        place.give()
        await #expect(throws: CancellationError.self) { try await place.value() }
    }

    @Test("a scheduler that only runs work lends a place until it is released", arguments: [true, false])
    func reservedByDefault(releasesFirst: Bool) async throws {
        let scheduler = ManualScheduler()
        let place = Permission()
        let wanted = WorkPlace(lane: .download, priority: .high, host: "a")
        let reservation = scheduler.reserve(wanted) { place.give() }
        #expect(!reservation.isGranted)
        #expect(scheduler.messages == [.enqueued(reservation.id, .download, .high, host: "a")])
        if releasesFirst { reservation.release() }
        let run = try scheduler.start(reservation.id)
        _ = try await place.value()
        if !releasesFirst {
            #expect(!scheduler.messages.contains(.finished(reservation.id)))
            reservation.release()
        }
        await run.value
        #expect(scheduler.messages.contains(.finished(reservation.id)))
    }

    @Test("work that is cancelled while it waits for a place never runs; what runs gives its place back")
    func reserves() async throws {
        let scheduler = PriorityScheduler(lanes: [.download: LaneConfiguration(limit: 1)])
        let gate = Gate()
        let first = Task {
            try await Lanes(scheduler: scheduler).withSlot(in: .download, host: nil, for: RestlessWork()) {
                await gate.pass()
            }
        }
        await gate.arrivals(1)
        let work = RestlessWork()
        let second = Task { try await Lanes(scheduler: scheduler).withSlot(in: .download, host: nil, for: work) {} }
        await work.listened.whenOpen()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(scheduler.waitingCount == 0 && scheduler.runningCount == 1)
        gate.open()
        try await first.value
        #expect(scheduler.runningCount == 0)
    }

    @Test("the first answer counts")
    func refused() async throws {
        let place = Permission()
        place.refuse()
        place.give()
        #expect(try await !place.value())
    }

    @Test("processor-bound work runs on the lane's threads, in the task that waits for it")
    func laneThreads() async throws {
        let executor = DispatchTaskExecutor(name: "lane", width: 1)
        let scheduler = PriorityScheduler(lanes: [.decode: LaneConfiguration(limit: 1, executor: executor)])
        let isThere = try await Lanes(scheduler: scheduler).perform(in: .decode, for: RestlessWork()) { _ in
            // Sound: both are compared while this task keeps to the one, and the test keeps the other.
            unsafe withUnsafeCurrentTask { task in
                unsafe task?.unownedTaskExecutor == executor.asUnownedTaskExecutor()
            }
        }
        #expect(isThere)
        #expect(scheduler.runningCount == 0)
    }

    @Test("a priority that changes while the lane is told of it is not overwritten by the one before")
    func restlessPriority() async throws {
        let scheduler = ManualScheduler()
        let work = RestlessWork()
        async let value = Lanes(scheduler: scheduler).perform(in: .decode, for: work) { _ in 7 }
        await scheduler.arrivals(1)
        let id = try await scheduler.runNext()
        #expect(try await value == 7)
        #expect(scheduler.lastPriority(of: id) == work.now)
    }
}
