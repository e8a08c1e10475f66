import ImageCore
import Synchronization

/// The books with their lock, for keys and values of whatever type.
final class CoalescingCore: Sendable {
    private let books = Mutex(CoalescingBooks())

    var waiterCount: Int { books.withLock { $0.state.waiterCount } }
    var isIdle: Bool { books.withLock { $0.isEmpty } }

    /// Returns the waiter's ticket, unless it was refused. For `isKey` and `keptKey` see `CoalescingBooks.enter`.
    func join(
        _ waiter: any SharedWorkWaiter, _ priority: RequestPriority, keyHash: Int, isKey: (AnyObject) -> Bool,
        keptKey: () -> any AnyObject & Sendable, begin: (CoalescedJob) -> @Sendable () -> Void
    ) -> JoinTicket? {
        let arrival = books.withLock {
            $0.enter(waiter, priority, keyHash: keyHash, isKey: isKey, keptKey: keptKey)
        }
        switch arrival {
        case .refused(let error):
            waiter.failed(with: error)
            return nil
        case .began(let ticket, let id):
            let giveUp = begin(CoalescedJob(core: self, id: id, firstPriority: priority))
            let (work, abandoned) = books.withLock { $0.prepares(id, giveUp: giveUp) }
            if let work { start(id, work) } else { tell(abandoned) }
            return ticket
        case .joined(let ticket, let errand):
            if let errand { run(errand) }
            return ticket
        }
    }

    /// Goes on with work in a task as soon as it has begun, unless it is over already, or goes on.
    func proceed(_ id: JobID, with work: ProceedingWork) {
        let before = books.withLock { $0.proceeds(id, with: work) }
        if before != nil { start(id, work) }
    }

    private func start(_ id: JobID, _ work: ProceedingWork) {
        let task = work.start()
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

    /// Work has ended, in the task that calls this.
    func finish(_ job: JobID, with outcome: CoalescingBooks.Outcome, in task: WorkTask) {
        let (errand, _) = books.withLock { $0.finish(job, with: outcome) }
        if let errand { task.ending { run(errand) } }
    }

    func setPriority(_ priority: RequestPriority, of ticket: JoinTicket) {
        if let errand = books.withLock({ $0.setPriority(priority, of: ticket) }) { run(errand) }
    }

    func close(throwing error: any Error) {
        for departure in books.withLock({ $0.close(throwing: error) }) { carryOut(departure) }
    }

    func leave(_ ticket: JoinTicket) { carryOut(books.withLock { $0.leave(ticket) }) }

    private func carryOut(_ departure: CoalescingBooks.Departure) {
        tell(departure.abandoned)
        departure.waiter?.failed(with: CancellationError())
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
        case .progress(let progress, let waiters):
            waiters.forEach { $0.progressed(progress) }
            return false
        case .priority(let priority, let handler):
            handler.tell(priority)
            return false
        case .outcome(let outcome, let waiters, let job):
            switch outcome {
            case .success(let value): value.give(to: waiters)
            case .failure(let error): waiters.forEach { $0.failed(with: error) }
            }
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
