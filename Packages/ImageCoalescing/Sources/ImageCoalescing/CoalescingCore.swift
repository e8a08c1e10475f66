import ImageCore
import Synchronization

/// The books with their lock, for keys and values of whatever type.
final class CoalescingCore: Sendable {
    private let books = Mutex(CoalescingBooks())

    var waiterCount: Int { books.withLock { $0.state.waiterCount } }
    var isIdle: Bool { books.withLock { $0.isEmpty } }

    func join(_ call: any CoalescingCall) {
        switch books.withLock({ $0.enter(call) }) {
        case .refused(let error): call.answer(.failure(error))
        case .began(let job): begin(job, of: call)
        case .joined(let errand): if let errand { run(errand) }
        }
    }

    private func begin(_ id: JobID, of call: any CoalescingCall) {
        let giveUp = call.begin(CoalescedJob(core: self, id: id, firstPriority: call.priority))
        let (maker, abandoned) = books.withLock { $0.prepares(id, giveUp: giveUp) }
        if let maker { start(id, in: maker.make()) } else { tell(abandoned) }
    }

    /// Goes on with work in a task as soon as it has begun, unless it is over already, or goes on.
    func proceed(_ id: JobID, in maker: CoalescingBooks.TaskMaker) {
        let before = books.withLock { $0.proceeds(id, in: maker) }
        if before != nil { start(id, in: maker.make()) }
    }

    private func start(_ id: JobID, in task: Task<Void, Never>) {
        if books.withLock({ $0.runs(id, in: task) }) { task.cancel() }
    }

    /// Tells work that nobody waits for it any more.
    private func tell(_ abandoned: CoalescingBooks.Abandoned) {
        switch abandoned.stage {
        case .prepares(let giveUp): giveUp()
        case .runs(let task): task.cancel()
        case .begins, .proceeds, nil: break
        }
    }

    func finish(_ job: JobID, with outcome: CoalescingBooks.Outcome) {
        let (errand, _) = books.withLock { $0.finish(job, with: outcome) }
        if let errand { run(errand) }
    }

    func setPriority(_ priority: RequestPriority, of waiter: WaiterID) {
        for errand in books.withLock({ $0.setPriority(priority, of: waiter) }) { run(errand) }
    }

    func close(throwing error: any Error) {
        for departure in books.withLock({ $0.close(throwing: error) }) { carryOut(departure) }
    }

    func leave(_ call: any CoalescingCall) {
        if let departure = books.withLock({ books in call.ticket.map { books.leave($0) } }) { carryOut(departure) }
    }

    private func carryOut(_ departure: CoalescingBooks.Departure) {
        tell(departure.abandoned)
        departure.waiter?.answer(.failure(CancellationError()))
        if let errand = departure.errand { run(errand) }
    }

    private func run(_ errand: CoalescingBooks.Errand) {
        if deliver(errand.first) { return }
        while true {
            let messages = books.withLock { $0.nextMessages(of: errand.job) }.messages
            if messages.isEmpty { return }
            for message in messages {
                if let delivery = books.withLock({ $0.address(message, of: errand.job) }), deliver(delivery) { return }
            }
        }
    }

    /// True when nothing comes after it.
    private func deliver(_ delivery: CoalescingBooks.Delivery) -> Bool {
        switch delivery {
        case .progress(let progress, let calls):
            for call in calls { call.onProgress(progress) }
            return false
        case .priority(let priority, let handler):
            handler.tell(priority)
            return false
        case .outcome(let outcome, let waiters, let job):
            for waiter in waiters { waiter.answer(outcome) }
            return job != nil
        }
    }
}

/// What work sees of its waiters. Stays valid after the work is done; it then does nothing.
struct CoalescedJob: SharedWork {
    let core: CoalescingCore
    let id: JobID
    let firstPriority: RequestPriority

    var priority: RequestPriority { core.priority(of: id) ?? firstPriority }

    func onPriorityChange(_ handler: @escaping @Sendable (RequestPriority) -> Void) { core.listen(id, handler) }

    func report(_ progress: WorkProgress) { core.report(progress, by: id) }
}

extension CoalescingCore {
    fileprivate func priority(of job: JobID) -> RequestPriority? { books.withLock { $0.state.priority(of: job) } }

    fileprivate func report(_ progress: WorkProgress, by job: JobID) {
        if let errand = books.withLock({ $0.report(progress, by: job) }) { run(errand) }
    }

    fileprivate func listen(_ job: JobID, _ handler: @escaping @Sendable (RequestPriority) -> Void) {
        let (errand, _) = books.withLock { $0.listen(job, CoalescingBooks.PriorityHandler(tell: handler)) }
        if let errand { run(errand) }
    }
}
