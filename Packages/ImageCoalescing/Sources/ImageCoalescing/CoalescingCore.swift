import ImageCore
import Synchronization

/// The books with their lock, for keys and values of whatever type.
final class CoalescingCore: Sendable {
    private let books = Mutex(CoalescingBooks())

    var waiterCount: Int { books.withLock { $0.state.waiterCount } }
    var isIdle: Bool { books.withLock { $0.isEmpty } }

    /// Waits for the box with what work comes to, which the call begins if there is none to join.
    func outcome(of call: any CoalescingCall) async throws -> any AnyObject & Sendable {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                call.isAwaited(by: continuation)
                enter(call, arrive(call))
            }
        } onCancel: {
            leave(call)
        }
    }

    /// The same for one who is called back.
    func join(_ call: any CoalescingCall) { enter(call, books.withLock { $0.enter(call) }) }

    private func enter(_ call: any CoalescingCall, _ arrival: CoalescingBooks.Arrival) {
        switch arrival {
        case .refused(let error): call.answer(.failure(error))
        case .began(let job):
            attach(call.begin(job, of: self), to: job)
            call.onJoin()
        case .joined(let errand):
            call.onJoin()
            if let errand { run(errand) }
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

    /// Refuses a waiter whose task was cancelled before.
    ///
    /// A cancellation before this finds no ticket and changes nothing, but is seen here by `isCancelled`, which it set
    /// before; one after this finds the ticket. So none is lost, and none need be remembered.
    private func arrive(_ call: any CoalescingCall) -> CoalescingBooks.Arrival {
        books.withLock { Task.isCancelled ? .refused(CancellationError()) : $0.enter(call) }
    }

    private func attach(_ task: Task<Void, Never>, to job: JobID) {
        if books.withLock({ $0.attach(task, to: job) }) { task.cancel() }
    }

    func leave(_ call: any CoalescingCall) {
        if let departure = books.withLock({ books in call.ticket.map { books.leave($0) } }) { carryOut(departure) }
    }

    private func carryOut(_ departure: CoalescingBooks.Departure) {
        departure.cancelled?.cancel()
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
