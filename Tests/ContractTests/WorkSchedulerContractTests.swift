import ImageContractTesting
import ImageCore
import ImageScheduling
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of WorkScheduler")
struct WorkSchedulerContractTests {
    typealias Rule = ContractRule<WorkSchedulerContract.Subject>

    @Test("PriorityScheduler obeys", arguments: WorkSchedulerContract.rules)
    func priorityScheduler(_ rule: Rule) async throws {
        try await rule.check { PriorityScheduler(lanes: [.decode: LaneConfiguration(limit: $0)]) }
    }

    @Test("PriorityScheduler obeys on threads of its own, with limits per host", arguments: WorkSchedulerContract.rules)
    func priorityScheduler2(_ rule: Rule) async throws {
        try await rule.check { limit in
            let executor = DispatchTaskExecutor(name: "contract", width: 2)
            let lane = LaneConfiguration(limit: limit, perHostLimit: 1, executor: executor)
            return PriorityScheduler(lanes: [.decode: lane], overtakeLimit: nil)
        }
    }

    @Test("the fake that is run by hand obeys when run by its own order", arguments: WorkSchedulerContract.rules)
    func manualScheduler(_ rule: Rule) async throws {
        try await rule.check { SelfRunningScheduler(limit: $0) }
    }

    @Test(
        "the fake that starts at once obeys where nothing waits", arguments: WorkSchedulerContract.rulesWithoutWaiting)
    func immediateScheduler(_ rule: Rule) async throws {
        try await rule.check { _ in ImmediateScheduler() }
    }

    @Test("each rule bites a scheduler that breaks it", arguments: BrokenScheduler.Defect.allCases)
    func brokenDouble(_ defect: BrokenScheduler.Defect) async throws {
        let rule = try #require(WorkSchedulerContract.rules.first { $0.name == defect.rawValue })
        guard BrokenScheduler.canShow(defect) else { return }
        await #expect(throws: ContractViolation.self) {
            try await rule.checkBrokenDouble { BrokenScheduler(defect, limit: $0) }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(WorkSchedulerContract.rules.map(\.name)) == Set(BrokenScheduler.Defect.allCases.map(\.rawValue)))
    }
}

/// The fake that is run by hand, with a hand that starts what may start.
private final class SelfRunningScheduler: WorkScheduler {
    private let manual = ManualScheduler()
    private let free: Mutex<Int>

    init(limit: Int) { free = Mutex(limit) }

    func enqueue(_ work: ScheduledWork) -> WorkID {
        var own = work
        own.run = {
            await work.run()
            self.free.withLock { $0 += 1 }
            self.startWhatMay()
        }
        let id = manual.enqueue(own)
        startWhatMay()
        return id
    }

    func setPriority(_ priority: RequestPriority, of id: WorkID) { manual.setPriority(priority, of: id) }
    func cancel(_ id: WorkID) -> Bool { manual.cancel(id) }

    private func startWhatMay() {
        free.withLock { free in
            while free > 0, let next = manual.waiting.first, (try? manual.start(next)) != nil { free -= 1 }
        }
    }
}

/// A priority scheduler that breaks one promise, the one that its defect names.
final class BrokenScheduler: WorkScheduler {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case runsTwice = "runs each piece of work once"
        case reusesNames = "names each piece of work differently"
        case runsInside = "calls no closure before enqueue returns"
        case cancelsTooLate = "cancel is false for running, finished and unknown work"
        case hidesThreads = "a reservation names the threads that enqueued work prefers"
        case exceedsLimit = "never runs more work at once than the lane's limit"
        case ignoresPriority = "starts waiting work of higher priority first"
        case startsLatestFirst = "starts work of one priority in the order of arrival"
        case ignoresChanges = "moves waiting work when its priority changes"
        case runsCancelled = "never runs work that was cancelled while it waited"
        case lendsForGood = "lends a place until it is released, then to the next in turn"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let base: PriorityScheduler
    private let enqueued = Mutex(0)

    init(_ defect: Defect, limit: Int) {
        self.defect = defect
        let limit = defect == .exceedsLimit ? limit + 1 : limit
        let threads = defect == .hidesThreads ? DispatchTaskExecutor(name: "hidden", width: 1) : nil
        self.base = PriorityScheduler(lanes: [.decode: LaneConfiguration(limit: limit, executor: threads)])
    }

    /// Running inside of `enqueue` takes a task that starts on the caller's thread.
    static func canShow(_ defect: Defect) -> Bool {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return true }
        return defect != .runsInside
    }

    func enqueue(_ work: ScheduledWork) -> WorkID {
        let count = enqueued.withLock { count in
            count += 1
            return count
        }
        switch defect {
        case .runsTwice: return base.enqueue(twice(work))
        case .reusesNames: return named(1, base.enqueue(work))
        case .runsInside: return runInside(work)
        case .ignoresPriority: return base.enqueue(with(.normal, work))
        case .startsLatestFirst where work.priority == .normal: return base.enqueue(with(rising(count), work))
        default: return base.enqueue(work)
        }
    }

    func reserve(_ place: WorkPlace, onGrant: @escaping @Sendable () -> Void) -> Reservation {
        let lent = base.reserve(place, onGrant: onGrant)
        switch defect {
        case .lendsForGood: return Reservation(id: lent.id, isGranted: lent.isGranted) {}
        case .hidesThreads: return Reservation(id: lent.id, isGranted: lent.isGranted, release: lent.release)
        default: return lent
        }
    }

    func setPriority(_ priority: RequestPriority, of id: WorkID) {
        if defect != .ignoresChanges { base.setPriority(priority, of: id) }
    }

    func cancel(_ id: WorkID) -> Bool {
        switch defect {
        case .cancelsTooLate:
            base.cancel(id)
            return true
        case .runsCancelled: return true
        default: return base.cancel(id)
        }
    }

    private func named(_ name: UInt64, _ id: WorkID) -> WorkID { WorkID(rawValue: name) }

    private func with(_ priority: RequestPriority, _ work: ScheduledWork) -> ScheduledWork {
        var work = work
        work.priority = priority
        return work
    }

    /// Later work gets the higher priority, as far as there are any.
    private func rising(_ count: Int) -> RequestPriority {
        RequestPriority(rawValue: min(count, RequestPriority.veryHigh.rawValue)) ?? .veryHigh
    }

    private func twice(_ work: ScheduledWork) -> ScheduledWork {
        var twice = work
        twice.run = {
            await work.run()
            await work.run()
        }
        return twice
    }

    private func runInside(_ work: ScheduledWork) -> WorkID {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { Task.immediate { await work.run() } }
        return base.enqueue(with(work.priority, ScheduledWork(lane: .decode) {}))
    }
}
