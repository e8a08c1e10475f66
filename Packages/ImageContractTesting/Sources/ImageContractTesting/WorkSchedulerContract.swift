public import ImageCore
import ImageTesting
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What every `WorkScheduler` promises.
public enum WorkSchedulerContract {
    /// Makes a fresh scheduler whose lane `decode` runs at most so much work at once.
    public typealias Subject = @Sendable (_ limit: Int) -> any WorkScheduler

    /// Every promise.
    public static let rules = rulesWithoutWaiting + rulesOfWaiting

    /// The promises that also hold for a scheduler which starts all work at once.
    public static let rulesWithoutWaiting: [ContractRule<Subject>] = [
        runsOnce, namesDiffer, callsNothingBeforeReturning, cancelIsTooLate, namesThreads,
    ]

    /// The promises about work that waits.
    public static let rulesOfWaiting: [ContractRule<Subject>] = [
        limit, priority, arrival, priorityChanges, cancelledNeverRuns, reservation,
    ]

    private static let runsOnce = ContractRule<Subject>("runs each piece of work once") { make in
        let scheduler = make(1)
        let runs = Probe<Int>()
        for number in 0..<20 { _ = scheduler.enqueue(ScheduledWork(lane: .decode) { runs.append(number) }) }
        try expect(await runs.reaches(20), "only \(runs.count) of 20 runs")
        try await passThrough(scheduler)
        try expect(runs.all.sorted() == Array(0..<20), "these ran: \(runs.all)")
    }

    private static let namesDiffer = ContractRule<Subject>("names each piece of work differently") { make in
        let scheduler = make(2)
        let ids = (0..<20).map { _ in scheduler.enqueue(ScheduledWork(lane: .decode) {}) }
        try expect(Set(ids).count == 20, "names: \(ids)")
    }

    private static let callsNothingBeforeReturning = ContractRule<Subject>("calls no closure before enqueue returns") {
        make in
        let scheduler = make(4)
        for _ in 0..<20 {
            let call = CallInProgress()
            let ran = Probe<Bool>()
            call.during { _ = scheduler.enqueue(ScheduledWork(lane: .decode) { ran.append(call.isOnThisThread) }) }
            try expect(await ran.reaches(1), "the work never ran")
            try expect(ran.all == [false], "the work ran inside of enqueue")
        }
    }

    private static let cancelIsTooLate = ContractRule<Subject>("cancel is false for running, finished and unknown work")
    { make in
        let scheduler = make(1)
        let gate = Gate()
        let started = Probe<Int>()
        let id = scheduler.enqueue(
            ScheduledWork(lane: .decode) {
                started.append(0)
                await gate.pass()
            })
        try expect(await started.reaches(1), "the work never ran")
        let whileRunning = scheduler.cancel(id)
        gate.open()
        try await passThrough(scheduler)
        try expect(!whileRunning, "true while it ran")
        try expect(!scheduler.cancel(id), "true after it ran")
        try expect(!scheduler.cancel(WorkID(rawValue: .max)), "true for unknown work")
    }

    private static let namesThreads = ContractRule<Subject>(
        "a reservation names the threads that enqueued work prefers"
    ) {
        make in
        let scheduler = make(2)
        let reservation = scheduler.reserve(WorkPlace(lane: .decode)) {}
        let findings = Probe<Bool>()
        _ = scheduler.enqueue(
            ScheduledWork(lane: .decode) {
                // Sound: both are compared while this task keeps to the one, and the reservation keeps the other.
                let isNamed = unsafe withUnsafeCurrentTask { task in
                    unsafe task?.unownedTaskExecutor == reservation.executor?.asUnownedTaskExecutor()
                }
                findings.append(isNamed)
            })
        let hasRun = await findings.reaches(1)
        reservation.release()
        try expect(hasRun, "the work never ran")
        try expect(findings.all == [true], "it names \(reservation.executor.map { "\($0)" } ?? "none")")
    }

    /// Returns when work of the lowest priority has run, after all that was enqueued before.
    static func passThrough(_ scheduler: any WorkScheduler) async throws {
        let passed = Probe<Bool>()
        _ = scheduler.enqueue(ScheduledWork(lane: .decode, priority: .veryLow) { passed.append(true) })
        try expect(await passed.reaches(1), "work never ran")
    }
}

/// Knows whether somebody is called from within a call, on the same thread.
private final class CallInProgress: Sendable {
    private let thread = Mutex<UInt?>(nil)

    var isOnThisThread: Bool { thread.withLock { $0 == currentThread } }

    func during(_ body: () -> Void) {
        thread.withLock { $0 = currentThread }
        body()
        thread.withLock { $0 = nil }
    }
}

/// A number that differs between threads that live at the same time.
private var currentThread: UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}
