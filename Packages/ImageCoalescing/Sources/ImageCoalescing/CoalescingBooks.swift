import ImageCore

/// What the coalescer keeps under its lock: the state machine, and the closures, continuations and tasks that go with it.
///
/// Every event returns what to do once the lock is free. What a job's work and waiters are told, one thread at a time tells: the first
/// that has something to tell begins at once, and whatever comes meanwhile lies in the job's mailbox until that thread takes it. So
/// all is told in the order in which it happened, progress before the outcome.
/// Closures that are no longer needed are handed out as well, so that nothing that they hold goes under the lock.
struct CoalescingBooks: Sendable {
    typealias Waiter = any SharedWorkWaiter
    typealias Outcome = Result<any WorkValue, any Error>

    /// A closure in a box of its own, which generic code can hand on without wrapping it.
    struct PriorityHandler: Sendable {
        var tell: @Sendable (RequestPriority) -> Void
    }

    enum Message: Sendable {
        case progress(WorkProgress, ShortList<JoinTicket>)
        case priority(RequestPriority)
        case outcome(Outcome, ShortList<JoinTicket>)
    }

    /// A message with its addressees as they are at the moment of delivery.
    indirect enum Delivery: Sendable {
        case progress(WorkProgress, ShortList<Waiter>)
        case priority(RequestPriority, PriorityHandler)
        /// With what was kept for the job, unless it winds down still. Otherwise this is the last that it has to tell.
        case outcome(Outcome, ShortList<Waiter>, Job?)
    }

    /// What the caller tells now, and then goes on with what has come into the job's mailbox meanwhile.
    struct Errand: Sendable {
        var job: JobID
        var first: Delivery
    }

    enum Arrival: Sendable {
        case joined(JoinTicket, Errand?)
        case began(JoinTicket, JobID)
        case refused(any Error)
    }

    /// Work for which nobody waits any more.
    struct Abandoned: Sendable {
        /// How far it had come; nil if it goes on until it is told so elsewhere, or if there was none.
        var stage: Stage?
        /// What was kept for it, if it is over.
        var discarded: Job?
    }

    struct Departure: Sendable {
        var waiter: Waiter?
        var abandoned = Abandoned()
        var errand: Errand?
    }

    /// How far work has come that was begun.
    enum Stage: Sendable {
        /// With what is to go on in a task, if that is to be so as soon as it has begun.
        case begins(ProceedingWork?)
        /// It needs no task yet, and is to be told when it need not go on.
        case prepares(giveUp: @Sendable () -> Void)
        /// It is about to have a task.
        case proceeds
        case runs(WorkTask)
    }

    struct Job: Sendable {
        let key: any AnyObject & Sendable
        let keyHash: Int
        /// Other work that can be joined and whose key has the same hash.
        var namesake: JobID?
        var stage = Stage.begins(nil)
        var onPriorityChange: PriorityHandler?
        var mailbox: [Message] = []
        var isDelivering = false

        /// True when nothing is told, nor to be told.
        var isQuiet: Bool { !isDelivering && mailbox.isEmpty }
    }

    private(set) var state = CoalescerState()
    private var roll = TicketRoll<JoinTicket>()
    private var waiters = TicketTable<JoinTicket, Waiter>()
    private var jobs = TicketTable<JobID, Job>()
    /// Work that can be joined, by its key's hash: while somebody waits for it.
    private var current: [Int: JobID] = [:]
    /// What whoever asks is answered with, once the coalescer is closed.
    private var closing: (any Error)?

    var isEmpty: Bool { state.isEmpty && waiters.isEmpty && jobs.isEmpty && current.isEmpty }

    /// A waiter comes: joins work under its key, or begins it.
    ///
    /// - Parameters:
    ///   - isKey: whether a key that was kept is this one.
    ///   - keptKey: the key, to be kept.
    mutating func enter(
        _ waiter: Waiter, _ priority: RequestPriority, keyHash: Int, isKey: (AnyObject) -> Bool,
        keptKey: () -> any AnyObject & Sendable
    ) -> Arrival {
        if let closing { return .refused(closing) }
        let ticket = roll.take()
        waiters[ticket] = waiter
        let first = current[keyHash]
        if let job = find(from: first, isKey) {
            return .joined(ticket, told(state.joined(ticket, job, priority: priority), ticket, job))
        }
        let job = state.began(ticket, priority: priority)
        jobs[job] = Job(key: keptKey(), keyHash: keyHash, namesake: first)
        current[keyHash] = job
        return .began(ticket, job)
    }

    private func find(from first: JobID?, _ isKey: (AnyObject) -> Bool) -> JobID? {
        var next = first
        while let job = next {
            if let key = jobs.with(job, { $0?.key }), isKey(key) { return job }
            next = jobs.with(job) { $0?.namesake }
        }
        return nil
    }

    mutating func leave(_ ticket: JoinTicket) -> Departure {
        var departure = Departure()
        guard let leaving = state.left(ticket) else { return departure }
        departure.waiter = dismiss(ticket)
        if leaving.isLast {
            endJoining(leaving.job)
            departure.abandoned = abandon(leaving.job)
        }
        if let priority = leaving.priority { departure.errand = post(.priority(priority), to: leaving.job) }
        return departure
    }

    mutating func setPriority(_ priority: RequestPriority, of ticket: JoinTicket) -> Errand? {
        state.reprioritised(ticket, to: priority).flatMap { post(.priority($1), to: $0) }
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
            let errand = post(.outcome(.failure(error), tickets), to: job)
            return Departure(abandoned: abandon(job), errand: errand)
        }
    }

    /// Work has begun. Returns what it proceeds with, if it does so at once. What needs no task yet is over if everybody has left.
    mutating func prepares(
        _ job: JobID, giveUp: @escaping @Sendable () -> Void
    ) -> (proceeds: ProceedingWork?, Abandoned) {
        guard case .begins(let work)? = stage(of: job) else { return (nil, Abandoned()) }
        if state.isAbandoned(job) {
            let stage = work == nil ? Stage.prepares(giveUp: giveUp) : nil
            return (nil, over(job, in: stage))
        }
        _ = move(job, to: work == nil ? .prepares(giveUp: giveUp) : .proceeds)
        return (work, Abandoned())
    }

    /// Work is ready for its task. Returns the stage before, if it is to have that now.
    mutating func proceeds(_ job: JobID, with work: ProceedingWork) -> Stage? {
        switch stage(of: job) {
        case .begins(nil): _ = move(job, to: .begins(work))
        case .prepares: return move(job, to: .proceeds)
        case .begins, .proceeds, .runs, nil: break
        }
        return nil
    }

    /// Keeps the task of work that proceeds. True when everybody has left meanwhile: the task must be cancelled.
    mutating func runs(_ job: JobID, in task: WorkTask) -> Bool {
        _ = move(job, to: .runs(task))
        return state.isUnderWay(job) && state.isAbandoned(job)
    }

    private func stage(of job: JobID) -> Stage? { state.isUnderWay(job) ? jobs.with(job) { $0?.stage } : nil }

    /// Returns the stage before; nil when the work is over.
    private mutating func move(_ job: JobID, to stage: Stage) -> Stage? {
        jobs.change(job) { job -> Stage? in
            defer { job?.stage = stage }
            return job?.stage
        }
    }

    /// Nobody waits for the work any more. What needs no task yet is over with that.
    private mutating func abandon(_ job: JobID) -> Abandoned {
        let stage = stage(of: job)
        if case .prepares = stage { return over(job, in: stage) }
        return Abandoned(stage: stage)
    }

    private mutating func over(_ job: JobID, in stage: Stage?) -> Abandoned {
        _ = state.finished(job)
        return Abandoned(stage: stage, discarded: discardIfOver(job))
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
            guard !state.isAbandoned(job), let handler = jobs.with(job, { $0?.onPriorityChange }) else {
                return nil
            }
            return .priority(priority, handler)
        case .outcome(let outcome, let tickets):
            let waiters = tickets.compactMap { dismiss($0) }
            return .outcome(outcome, waiters, state.isUnderWay(job) ? nil : forget(job))
        }
    }

    /// Nobody joins the job from now on.
    private mutating func endJoining(_ id: JobID) {
        guard let hash = jobs.with(id, { $0?.keyHash }), var earlier = current[hash] else { return }
        let namesake = jobs.change(id) { $0?.namesake.take() }
        if earlier == id {
            current[hash] = namesake
            return
        }
        while let next = jobs.with(earlier, { $0?.namesake }) {
            if next == id {
                jobs.change(earlier) { $0?.namesake = namesake }
                return
            }
            earlier = next
        }
    }

    private mutating func dismiss(_ ticket: JoinTicket) -> Waiter? {
        let waiter = waiters.remove(ticket)
        if waiter != nil { roll.giveBack(ticket) }
        return waiter
    }

    private mutating func told(_ joining: CoalescerState.Joining, _ ticket: JoinTicket, _ job: JobID) -> Errand? {
        var errand: Errand?
        if let progress = joining.progress { errand = post(.progress(progress, ShortList(ticket)), to: job) }
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
        guard !state.isUnderWay(id), jobs.with(id, { $0?.isQuiet }) == true else { return nil }
        return forget(id)
    }

    private mutating func forget(_ id: JobID) -> Job? {
        let job = jobs.remove(id)
        if job != nil { state.forgot(id) }
        return job
    }
}
