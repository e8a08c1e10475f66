import ImageCore
import ImageTesting
import Synchronization

extension WorkSchedulerContract {
    static let limit = ContractRule<Subject>("never runs more work at once than the lane's limit") { make in
        let (limit, count) = (2, 12)
        let scheduler = make(limit)
        let gate = Gate()
        let occupancy = Occupancy()
        for _ in 0..<count {
            let work = ScheduledWork(lane: .decode) {
                occupancy.enter()
                await gate.pass()
                occupancy.leave()
            }
            _ = scheduler.enqueue(work)
        }
        for passed in 0..<count {
            let arrived = await occupancy.reaches(min(passed + limit, count))
            for _ in 0..<50 { await Task.yield() }
            gate.letOnePass()
            if !arrived { gate.open() }
            try expect(arrived, "a free place is left empty")
        }
        try await passThrough(scheduler)
        try expect(occupancy.most <= limit, "\(occupancy.most) at once, the limit is \(limit)")
    }

    static let priority = ContractRule<Subject>("starts waiting work of higher priority first") { make in
        let queue = HeldQueue(make(1))
        for priority in [RequestPriority.low, .veryHigh, .veryLow, .high, .normal] { _ = queue.add(priority) }
        try await queue.expectOrder([1, 3, 4, 0, 2])
    }

    static let arrival = ContractRule<Subject>("starts work of one priority in the order of arrival") { make in
        let queue = HeldQueue(make(1))
        for _ in 0..<20 { _ = queue.add(.normal) }
        try await queue.expectOrder(Array(0..<20))
    }

    static let priorityChanges = ContractRule<Subject>("moves waiting work when its priority changes") { make in
        let queue = HeldQueue(make(1))
        let ids = (0..<4).map { _ in queue.add(.normal) }
        queue.scheduler.setPriority(.low, of: ids[0])
        queue.scheduler.setPriority(.high, of: ids[2])
        try await queue.expectOrder([2, 1, 3, 0])
    }

    static let cancelledNeverRuns = ContractRule<Subject>("never runs work that was cancelled while it waited") {
        make in
        let queue = HeldQueue(make(1))
        let ids = (0..<4).map { _ in queue.add(.normal) }
        let answers = [queue.scheduler.cancel(ids[1]), queue.scheduler.cancel(ids[1]), queue.scheduler.cancel(ids[3])]
        try await queue.expectOrder([0, 2])
        try expect(answers == [true, false, true], "cancel answered \(answers) to waiting, cancelled and waiting work")
    }
}

extension WorkSchedulerContract {
    static let reservation = ContractRule<Subject>("lends a place until it is released, then to the next in turn") {
        make in
        let scheduler = make(1)
        let grants = Probe<Int>()
        func reserve(_ number: Int, _ priority: RequestPriority) -> Reservation {
            let place = WorkPlace(lane: .decode, priority: priority)
            let reservation = scheduler.reserve(place) { grants.append(number) }
            if reservation.isGranted { grants.append(number) }
            return reservation
        }
        let first = reserve(1, .normal)
        try expect(await grants.reaches(1), "a free place is not granted")
        let (low, high, cancelled) = (reserve(3, .low), reserve(2, .high), reserve(0, .veryHigh))
        try expect(scheduler.cancel(cancelled.id), "cancel was false for a place that was waited for")
        try expect(grants.all == [1], "granted while the place was lent: \(grants.all)")
        first.release()
        try expect(await grants.reaches(2), "never granted again")
        high.release()
        try expect(await grants.reaches(3), "granted twice only")
        low.release()
        try await passThrough(scheduler)
        try expect(grants.all == [1, 2, 3], "granted in the order \(grants.all)")
    }
}

/// A scheduler whose one place is taken until the test has enqueued all that it wants to see started.
private struct HeldQueue: Sendable {
    let scheduler: any WorkScheduler
    private let gate = Gate()
    private let starts = Probe<Int>()
    private let added = Probe<Int>()

    init(_ scheduler: any WorkScheduler) {
        self.scheduler = scheduler
        _ = scheduler.enqueue(ScheduledWork(lane: .decode, priority: .veryHigh) { [gate] in await gate.pass() })
    }

    /// Enqueues work that is numbered from 0.
    func add(_ priority: RequestPriority) -> WorkID {
        let number = added.count
        added.append(number)
        return scheduler.enqueue(ScheduledWork(lane: .decode, priority: priority) { [starts] in starts.append(number) })
    }

    func expectOrder(_ expected: [Int]) async throws {
        gate.open()
        let isComplete = await starts.reaches(expected.count)
        try expect(isComplete, "only \(starts.all) started")
        try await WorkSchedulerContract.passThrough(scheduler)
        try expect(starts.all == expected, "started in the order \(starts.all), expected \(expected)")
    }
}

/// Counts how many are in at once, and how many have come in all.
private final class Occupancy: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    private let arrivals = Probe<Bool>()

    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
        arrivals.append(true)
    }

    func leave() { counts.withLock { $0.now -= 1 } }

    func reaches(_ count: Int) async -> Bool { await arrivals.reaches(count) }
}
