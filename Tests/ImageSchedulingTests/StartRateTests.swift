import ImageCore
import ImageTesting
import Testing

@testable import ImageScheduling

@Suite("Rate of starts, order, suspension, hosts")
struct StartRateTests {
    private let clock = ManualClock()
    private let executor = SeededExecutor(seed: 1)
    private let log = MessageLog<Int>()

    private func makeScheduler(limit: Int = 1, _ adjust: (inout LaneConfiguration) -> Void) -> PriorityScheduler {
        var lane = LaneConfiguration(limit: limit, executor: executor)
        adjust(&lane)
        return PriorityScheduler(lanes: [.download: lane])
    }

    private func add(_ numbers: Range<Int>, to scheduler: PriorityScheduler, host: String? = nil) -> [WorkID] {
        numbers.map { number in
            scheduler.enqueue(ScheduledWork(lane: .download, host: host) { [log] in log.append(number) })
        }
    }

    // MARK: Tokens

    @Test("tokens come back at their rate, up to the burst; what is owed comes back first")
    func bucket() {
        var bucket = TokenBucket(StartRate(burst: 2, perSecond: 4, clock: clock))
        #expect(bucket.wait(at: .zero) == nil)
        for _ in 0..<4 { bucket.take(at: .seconds(1)) }
        #expect(bucket.wait(at: .seconds(1)) == .milliseconds(750))
        #expect(bucket.wait(at: .milliseconds(1_500)) == .milliseconds(250))
        #expect(bucket.wait(at: .milliseconds(1_750)) == nil)
        for _ in 0..<2 { bucket.take(at: .seconds(100)) }
        #expect(bucket.wait(at: .seconds(100)) == .milliseconds(250))
    }

    @Test("work that runs to its end costs no token, however much of it there is")
    func endingCostsNothing() {
        let scheduler = makeScheduler { $0.startRate = StartRate(burst: 1, perSecond: 1, clock: clock) }
        _ = add(0..<1_000, to: scheduler)
        executor.run()
        #expect(log.messages == Array(0..<1_000))
    }

    @Test("a token that has come back meanwhile goes to who came first, and who comes then waits")
    func tokenForTheFirst() {
        let scheduler = makeScheduler { $0.startRate = StartRate(burst: 1, perSecond: 1, clock: clock) }
        func reserve(_ number: Int) -> Reservation {
            scheduler.reserve(WorkPlace(lane: .download)) { [log] in log.append(number) }
        }
        let inVain = reserve(0)
        scheduler.cancel(inVain.id)
        inVain.release()
        let (first, other) = (reserve(1), add(2..<3, to: scheduler))
        #expect(inVain.isGranted && !first.isGranted && log.messages.isEmpty)
        clock.advance(by: .seconds(1))  // and nobody has looked yet
        let last = reserve(3)
        #expect(!last.isGranted && log.messages == [1])
        first.release()
        executor.run()
        #expect(log.messages == [1, 2, 3] && scheduler.waitingCount == 0 && !scheduler.cancel(other[0]))
    }

    @Test("work that is started and cancelled holds up the next when it comes too fast, until the clock has gone on")
    func cancelledStartsCost() {
        let scheduler = makeScheduler { $0.startRate = StartRate(burst: 2, perSecond: 1, clock: clock) }
        let ids = add(0..<4, to: scheduler)
        for id in ids.prefix(2) {
            #expect(!scheduler.cancel(id) && !scheduler.cancel(id))
            executor.step()
        }
        executor.run()
        #expect(log.messages == [0, 1] && scheduler.waitingCount == 2)
        clock.advance(by: .milliseconds(999))
        executor.run()
        #expect(log.messages == [0, 1])
        clock.advance(by: .milliseconds(1))
        executor.run()
        #expect(log.messages == [0, 1, 2, 3])
    }

    @Test("cancelling what waits costs no token")
    func cancelledInQueue() {
        let scheduler = makeScheduler { $0.startRate = StartRate(burst: 1, perSecond: 1, clock: clock) }
        for id in add(0..<50, to: scheduler).dropFirst() { #expect(scheduler.cancel(id)) }
        _ = add(50..<52, to: scheduler)
        executor.run()
        #expect(log.messages == [0, 50, 51])
    }

    // MARK: Order, suspension, hosts

    @Test("the last to come starts first where the lane says so, within one priority")
    func lastInFirstOut() {
        let scheduler = makeScheduler { $0.order = .lastInFirstOut }
        _ = add(0..<4, to: scheduler)
        _ = scheduler.enqueue(ScheduledWork(lane: .download, priority: .high) { [log] in log.append(9) })
        executor.run()
        #expect(log.messages == [0, 9, 3, 2, 1])
    }

    @Test("a suspended lane starts nothing until it is resumed, and lets what runs go on")
    func suspension() {
        let scheduler = makeScheduler { _ in }
        _ = add(0..<1, to: scheduler)
        scheduler.suspend(.download)
        scheduler.suspend(.download)
        _ = add(1..<3, to: scheduler)
        scheduler.setLimit(2, of: .download)
        executor.run()
        #expect(log.messages == [0] && scheduler.waitingCount == 2)
        scheduler.resume(.download)
        executor.run()
        #expect(Set(log.messages) == [0, 1, 2])
    }

    @Test("a lane of limit 0 holds its work until the limit is raised")
    func heldLane() {
        let scheduler = makeScheduler(limit: 0) { _ in }
        _ = add(0..<2, to: scheduler)
        executor.run()
        #expect(log.messages.isEmpty && scheduler.waitingCount == 2)
        scheduler.setLimit(1, of: .download)
        executor.run()
        #expect(log.messages == [0, 1])
    }

    @Test("a host is the same in whatever case it is written")
    func hostCase() {
        let scheduler = makeScheduler(limit: 6) { $0.perHostLimit = 1 }
        _ = add(0..<1, to: scheduler, host: "example.org")
        _ = add(1..<2, to: scheduler, host: "Example.ORG")
        #expect(scheduler.runningCount == 1 && scheduler.waitingCount == 1)
        executor.run()
        #expect(log.messages == [0, 1])
    }
}
