import ImageCore

/// What the coalescer keeps under its lock: the state machine, and the closures, continuations and tasks that go with it.
///
/// Every event returns what to do once the lock is free. What a job's work and waiters are told goes through the job's
/// mailbox, which one thread at a time empties: it is told in the order in which it happened, progress before the outcome.
/// Closures that are no longer needed are handed out as well, so that nothing that they hold goes under the lock.
///
/// It knows neither keys nor values: generic code is not specialised across modules, and took most of a waiter's time.
struct CoalescingCore: Sendable {
    /// What work came to, in a box whose type the shell knows.
    typealias Outcome = any AnyObject & Sendable

    struct Waiter: Sendable {
        var continuation: CheckedContinuation<Outcome, any Error>
        var onProgress: @Sendable (WorkProgress) -> Void
    }

    enum Message: Sendable {
        case progress(WorkProgress, [JoinTicket])
        case priority(RequestPriority)
        case outcome(Outcome, [JoinTicket])
    }

    /// A message with its addressees as they are at the moment of delivery.
    enum Delivery: Sendable {
        case progress(WorkProgress, [@Sendable (WorkProgress) -> Void])
        case priority(RequestPriority, @Sendable (RequestPriority) -> Void)
        case outcome(Outcome, [Waiter])
    }

    /// What the shell does after unlocking.
    struct Effects: Sendable {
        var ticket: JoinTicket?
        var start: JobID?
        var cancel: Task<Void, Never>?
        /// Work that nobody may join any more, although it has not returned.
        var abandoned: JobID?
        var dismiss: Waiter?
        /// The jobs whose mailboxes the caller empties: not those that are empty, or that someone else is at.
        var deliver: [JobID] = []
        var discarded: Job?
        var replaced: (@Sendable (RequestPriority) -> Void)?
    }

    struct Job: Sendable {
        var task: Task<Void, Never>?
        var onPriorityChange: (@Sendable (RequestPriority) -> Void)?
        var mailbox: [Message] = []
        var isDelivering = false
    }

    private(set) var state = CoalescerState()
    private var roll = TicketRoll()
    private var waiters = TicketTable<Waiter>()
    private var jobs: [JobID: Job] = [:]

    var isEmpty: Bool { state.isEmpty && waiters.isEmpty && jobs.isEmpty }

    /// A waiter comes, for work that it starts.
    mutating func begin(name: WaiterID, priority: RequestPriority, waiter: Waiter) -> (JobID, Effects) {
        let ticket = admit(waiter)
        let (job, actions) = state.began(ticket, waiter: name, priority: priority)
        var effects = accept(actions, of: job)
        effects.ticket = ticket
        return (job, effects)
    }

    /// A waiter comes, for work that is not abandoned.
    mutating func join(
        _ job: JobID, name: WaiterID, priority: RequestPriority, waiter: Waiter
    ) -> Effects {
        let ticket = admit(waiter)
        var effects = accept(state.joined(ticket, job, waiter: name, priority: priority), of: job)
        effects.ticket = ticket
        return effects
    }

    mutating func leave(_ ticket: JoinTicket) -> Effects {
        guard let (job, actions) = state.left(ticket) else { return Effects() }
        return accept(actions, of: job)
    }

    mutating func setPriority(_ priority: RequestPriority, of waiter: WaiterID) -> Effects {
        state.reprioritised(waiter, to: priority).reduce(into: Effects()) { effects, change in
            effects.deliver += accept(change.actions, of: change.job).deliver
        }
    }

    mutating func report(_ progress: WorkProgress, by job: JobID) -> Effects {
        accept(state.reported(progress, by: job), of: job)
    }

    mutating func listen(_ job: JobID, _ handler: @escaping @Sendable (RequestPriority) -> Void) -> Effects {
        guard state.isUnderWay(job) else { return Effects() }
        let replaced = jobs[job]?.onPriorityChange
        jobs[job]?.onPriorityChange = handler
        var effects = accept(state.listened(job), of: job)
        effects.replaced = replaced
        return effects
    }

    mutating func finish(_ job: JobID, with outcome: Outcome) -> Effects {
        var effects = accept(state.finished(job), of: job, outcome)
        effects.discarded = discardIfOver(job)
        return effects
    }

    /// Every waiter is answered with the outcome. One piece of work, one piece of the effects.
    mutating func close(with outcome: Outcome) -> [Effects] {
        state.closed().map { accept($0.actions, of: $0.job, outcome) }
    }

    /// Keeps the task of started work. True when everybody left meanwhile: the task must be cancelled.
    mutating func attach(_ task: Task<Void, Never>, to job: JobID) -> Bool {
        guard state.isUnderWay(job) else { return false }
        jobs[job]?.task = task
        return state.isAbandoned(job)
    }

    /// Empties the job's mailbox. When there is nothing in it, the delivering thread is free to go.
    mutating func nextMessages(of job: JobID) -> (messages: [Message], discarded: Job?) {
        let messages = jobs[job]?.mailbox ?? []
        jobs[job]?.mailbox = []
        guard messages.isEmpty else { return (messages, nil) }
        jobs[job]?.isDelivering = false
        return ([], discardIfOver(job))
    }

    /// Finds those whom a message still concerns; whoever was answered in the meantime is not told.
    mutating func address(_ message: Message, of job: JobID) -> Delivery? {
        switch message {
        case .progress(let progress, let tickets):
            return .progress(progress, tickets.compactMap { waiters[$0]?.onProgress })
        case .priority(let priority):
            guard !state.isAbandoned(job), let handler = jobs[job]?.onPriorityChange else { return nil }
            return .priority(priority, handler)
        case .outcome(let outcome, let tickets):
            return .outcome(outcome, tickets.compactMap { dismiss($0) })
        }
    }

    private mutating func admit(_ waiter: Waiter) -> JoinTicket {
        let ticket = roll.take()
        waiters[ticket] = waiter
        return ticket
    }

    private mutating func dismiss(_ ticket: JoinTicket) -> Waiter? {
        let waiter = waiters.remove(ticket)
        if waiter != nil { roll.giveBack(ticket) }
        return waiter
    }

    private mutating func accept(
        _ actions: [CoalescerState.Action], of job: JobID, _ outcome: Outcome? = nil
    ) -> Effects {
        var effects = Effects()
        if actions.isEmpty { return effects }
        for action in actions {
            switch action {
            case .start(let id):
                jobs[id] = Job()
                effects.start = id
            case .tellProgress(let progress, let tickets): jobs[job]?.mailbox.append(.progress(progress, tickets))
            case .tellPriority(let priority): jobs[job]?.mailbox.append(.priority(priority))
            case .answer(let tickets):
                if let outcome { jobs[job]?.mailbox.append(.outcome(outcome, tickets)) }
            case .dismiss(let ticket): effects.dismiss = dismiss(ticket)
            case .cancelWork(let id):
                effects.cancel = jobs[id]?.task
                effects.abandoned = id
            }
        }
        if beginsDelivering(job) { effects.deliver = [job] }
        return effects
    }

    private mutating func beginsDelivering(_ id: JobID) -> Bool {
        guard let job = jobs[id], !job.isDelivering, !job.mailbox.isEmpty else { return false }
        jobs[id]?.isDelivering = true
        return true
    }

    private mutating func discardIfOver(_ id: JobID) -> Job? {
        guard !state.isUnderWay(id), let job = jobs[id], !job.isDelivering, job.mailbox.isEmpty else { return nil }
        return jobs.removeValue(forKey: id)
    }
}
