import ImageCore

/// What the coalescer keeps under its lock: the state machine, and the closures, continuations and tasks that go with it.
///
/// Every event returns what to do once the lock is free. What a job's work and waiters are told, one thread at a time tells: the first
/// that has something to tell begins at once, and whatever comes meanwhile lies in the job's mailbox until that thread takes it. So
/// all is told in the order in which it happened, progress before the outcome.
/// Closures that are no longer needed are handed out as well, so that nothing that they hold goes under the lock.
struct CoalescingBooks: Sendable {
    /// What work came to; a value lies in a box whose type the call knows.
    typealias Outcome = Result<any AnyObject & Sendable, any Error>

    /// A closure in a box of its own, which generic code can hand on without wrapping it.
    struct PriorityHandler: Sendable {
        var tell: @Sendable (RequestPriority) -> Void
    }

    enum Message: Sendable {
        case progress(WorkProgress, [JoinTicket])
        case priority(RequestPriority)
        case outcome(Outcome, [JoinTicket])
    }

    /// A message with its addressees as they are at the moment of delivery.
    enum Delivery: Sendable {
        case progress(WorkProgress, [any CoalescingCall])
        case priority(RequestPriority, PriorityHandler)
        /// With what was kept for the job, unless it winds down still. Otherwise this is the last that it has to tell.
        case outcome(Outcome, [any CoalescingCall], Job?)
    }

    /// What the caller tells now, and then goes on with what has come into the job's mailbox meanwhile.
    struct Errand: Sendable {
        var job: JobID
        var first: Delivery
    }

    enum Arrival: Sendable {
        case joined(Errand?)
        case began(JobID)
        case refused(any Error)
    }

    struct Departure: Sendable {
        var waiter: (any CoalescingCall)?
        var cancelled: Task<Void, Never>?
        var errand: Errand?
    }

    struct Job: Sendable {
        /// The call that began it, which has its key.
        var host: any CoalescingCall
        var task: Task<Void, Never>?
        var onPriorityChange: PriorityHandler?
        var mailbox: [Message] = []
        var isDelivering = false
    }

    private(set) var state = CoalescerState()
    private var roll = TicketRoll<JoinTicket>()
    private var waiters = TicketTable<JoinTicket, any CoalescingCall>()
    private var jobs = TicketTable<JobID, Job>()
    /// Work that is joined by key: while somebody waits for it.
    private var current: [CallKey: JobID] = [:]
    /// What whoever asks is answered with, once the coalescer is closed.
    private var closing: (any Error)?

    var isEmpty: Bool { state.isEmpty && waiters.isEmpty && jobs.isEmpty && current.isEmpty }

    /// A waiter comes: joins work under its key, or begins it.
    mutating func enter(_ call: any CoalescingCall) -> Arrival {
        if let closing { return .refused(closing) }
        let ticket = roll.take()
        waiters[ticket] = call
        call.ticket = ticket
        if let job = current[CallKey(call)] {
            return .joined(told(state.joined(ticket, job, waiter: call.name, priority: call.priority), ticket, job))
        }
        let job = state.began(ticket, waiter: call.name, priority: call.priority)
        jobs[job] = Job(host: call)
        current[CallKey(call)] = job
        return .began(job)
    }

    mutating func leave(_ ticket: JoinTicket) -> Departure {
        var departure = Departure()
        guard let leaving = state.left(ticket) else { return departure }
        departure.waiter = dismiss(ticket)
        if leaving.isLast {
            departure.cancelled = jobs.with(leaving.job) { $0.task } ?? nil
            endJoining(leaving.job)
        }
        if let priority = leaving.priority { departure.errand = post(.priority(priority), to: leaving.job) }
        return departure
    }

    mutating func setPriority(_ priority: RequestPriority, of waiter: WaiterID) -> [Errand] {
        state.reprioritised(waiter, to: priority).compactMap { post(.priority($1), to: $0) }
    }

    mutating func report(_ progress: WorkProgress, by job: JobID) -> Errand? {
        let tickets = state.reported(progress, by: job)
        return tickets.isEmpty ? nil : post(.progress(progress, tickets), to: job)
    }

    /// Returns the handler before, too, so that it goes after the lock.
    mutating func listen(_ job: JobID, _ handler: PriorityHandler) -> (Errand?, replaced: PriorityHandler?) {
        guard state.isUnderWay(job) else { return (nil, nil) }
        let replaced = jobs.change(job) { job -> PriorityHandler? in
            defer { job?.onPriorityChange = handler }
            return job?.onPriorityChange
        }
        return (state.listened(job).flatMap { post(.priority($0), to: job) }, replaced)
    }

    /// Returns what was kept for the job, if nobody is to be told of its end.
    mutating func finish(_ job: JobID, with outcome: Outcome) -> (Errand?, discarded: Job?) {
        endJoining(job)
        let tickets = state.finished(job)
        if tickets.isEmpty { return (nil, discardIfOver(job)) }
        return (post(.outcome(outcome, tickets), to: job), nil)
    }

    /// Every waiter is answered with the error, and whoever comes. The first closing counts.
    mutating func close(throwing error: any Error) -> [Departure] {
        if closing != nil { return [] }
        closing = error
        current = [:]
        return state.closed().map { job, tickets in
            let task = jobs.with(job) { $0.task } ?? nil
            return Departure(cancelled: task, errand: post(.outcome(.failure(error), tickets), to: job))
        }
    }

    /// Keeps the task of begun work. True when everybody left meanwhile: the task must be cancelled.
    mutating func attach(_ task: Task<Void, Never>, to job: JobID) -> Bool {
        guard state.isUnderWay(job) else { return false }
        jobs.change(job) { $0?.task = task }
        return state.isAbandoned(job)
    }

    /// What has come into the job's mailbox. When that is nothing, the delivering thread is free to go.
    mutating func nextMessages(of job: JobID) -> (messages: [Message], discarded: Job?) {
        let messages = jobs.change(job) { job -> [Message]? in
            guard let messages = job?.mailbox, !messages.isEmpty else {
                job?.isDelivering = false
                return nil
            }
            job?.mailbox = []
            return messages
        }
        return messages.map { ($0, nil) } ?? ([], discardIfOver(job))
    }

    /// Finds those whom a message still concerns; whoever was answered in the meantime is not told.
    mutating func address(_ message: Message, of job: JobID) -> Delivery? {
        switch message {
        case .progress(let progress, let tickets):
            return .progress(progress, tickets.compactMap { waiters[$0] })
        case .priority(let priority):
            guard !state.isAbandoned(job), let handler = jobs.with(job, { $0.onPriorityChange }) ?? nil else {
                return nil
            }
            return .priority(priority, handler)
        case .outcome(let outcome, let tickets):
            let waiters = tickets.compactMap { dismiss($0) }
            return .outcome(outcome, waiters, state.isUnderWay(job) ? nil : forget(job))
        }
    }

    /// Nobody joins the job from now on.
    private mutating func endJoining(_ job: JobID) {
        guard let host = jobs.with(job, { $0.host }), let index = current.index(forKey: CallKey(host)),
            current.values[index] == job
        else { return }
        current.remove(at: index)
    }

    private mutating func dismiss(_ ticket: JoinTicket) -> (any CoalescingCall)? {
        let waiter = waiters.remove(ticket)
        if waiter != nil { roll.giveBack(ticket) }
        return waiter
    }

    private mutating func told(_ joining: CoalescerState.Joining, _ ticket: JoinTicket, _ job: JobID) -> Errand? {
        var errand: Errand?
        if let progress = joining.progress { errand = post(.progress(progress, [ticket]), to: job) }
        if let priority = joining.priority { errand = post(.priority(priority), to: job) ?? errand }
        return errand
    }

    /// The caller tells at once, unless somebody is at telling.
    private mutating func post(_ message: Message, to job: JobID) -> Errand? {
        let begins = jobs.change(job) { job -> Bool? in
            if job?.isDelivering == true {
                job?.mailbox.append(message)
                return false
            }
            job?.isDelivering = true
            return true
        }
        guard begins == true else { return nil }
        if let delivery = address(message, of: job) { return Errand(job: job, first: delivery) }
        jobs.change(job) { $0?.isDelivering = false }
        return nil
    }

    private mutating func discardIfOver(_ id: JobID) -> Job? {
        guard !state.isUnderWay(id), jobs.with(id, { !$0.isDelivering && $0.mailbox.isEmpty }) == true else {
            return nil
        }
        return forget(id)
    }

    private mutating func forget(_ id: JobID) -> Job? {
        let job = jobs.remove(id)
        if job != nil { state.forgot(id) }
        return job
    }
}
