import ImageCore

/// Names one call of `value(for:)`, so that a `WaiterID` that waits twice is still two waiters.
struct JoinTicket: Hashable, Sendable {
    let rawValue: UInt64
}

/// Names one piece of shared work.
struct JobID: Hashable, Sendable {
    let rawValue: UInt64
}

/// Who waits for which work, and what must happen after each event. Knows no closures, tasks or locks.
///
/// What excludes the races: a ticket is struck off in the same event that answers it, so it is answered once; a key
/// names its work only while somebody waits for it, so nobody joins work that ends or winds down, and what abandoned
/// work still says or returns finds no ticket.
struct CoalescerState<Key: Hashable & Sendable>: Sendable {
    /// What the shell does, in this order.
    enum Action: Hashable, Sendable {
        case start(JobID)
        case tellProgress(WorkProgress, [JoinTicket])
        case tellPriority(RequestPriority)
        /// The work's outcome goes to these waiters.
        case answer([JoinTicket])
        /// `CancellationError` goes to this waiter.
        case dismiss(JoinTicket)
        case cancelWork(JobID)
    }

    private struct Job: Sendable {
        var key: Key
        var order = JoinOrder()
        var tally = PriorityTally()
        /// The maximum of the waiters' priorities; the last one there was when nobody waits any more.
        var priority: RequestPriority
        var latest: WorkProgress?
    }

    private struct Membership: Sendable {
        var job: JobID
        var waiter: WaiterID
        var priority: RequestPriority
    }

    /// Work that is joined by key. Work that everybody left is not here.
    private var current: [Key: JobID] = [:]
    /// Work whose closure has not returned yet.
    private var jobs: [JobID: Job] = [:]
    private var members: [JoinTicket: Membership] = [:]
    private var tickets: [WaiterID: [JoinTicket]] = [:]
    private var lastJob: UInt64 = 0

    var waiterCount: Int { members.count }
    var jobCount: Int { jobs.count }
    var isEmpty: Bool { members.isEmpty && jobs.isEmpty && current.isEmpty && tickets.isEmpty }

    /// True when the work goes on although nobody waits for it, or is done.
    func isAbandoned(_ id: JobID) -> Bool { jobs[id]?.order.isEmpty ?? true }

    func isUnderWay(_ id: JobID) -> Bool { jobs[id] != nil }

    /// Nil when the work is done.
    func priority(of id: JobID) -> RequestPriority? { jobs[id]?.priority }

    /// A waiter comes: it joins the work for the key, or has new work started.
    mutating func joined(
        _ ticket: JoinTicket, key: Key, waiter: WaiterID, priority: RequestPriority
    ) -> (job: JobID, actions: [Action]) {
        let joined = current[key]
        let id = joined ?? newJob(key: key, priority: priority)
        members[ticket] = Membership(job: id, waiter: waiter, priority: priority)
        tickets[waiter, default: []].append(ticket)
        jobs[id]?.order.append(ticket)
        jobs[id]?.tally.add(priority)
        guard joined != nil else { return (id, [.start(id)]) }
        let replay = jobs[id]?.latest.map { [Action.tellProgress($0, [ticket])] } ?? []
        return (id, replay + refreshPriority(of: id))
    }

    /// A waiter's task was cancelled. A ticket that is answered already, or never joined, changes nothing.
    mutating func left(_ ticket: JoinTicket) -> (job: JobID, actions: [Action])? {
        guard let member = strikeOff(ticket) else { return nil }
        let id = member.job
        jobs[id]?.order.remove(ticket)
        jobs[id]?.tally.remove(member.priority)
        guard let job = jobs[id], job.order.isEmpty else { return (id, [.dismiss(ticket)] + refreshPriority(of: id)) }
        current[job.key] = nil
        return (id, [.cancelWork(id), .dismiss(ticket)])
    }

    /// The work's closure returned or threw.
    mutating func finished(_ id: JobID) -> [Action] {
        guard let job = jobs.removeValue(forKey: id) else { return [] }
        let waiting = job.order.tickets
        guard !waiting.isEmpty else { return [] }
        current[job.key] = nil
        for ticket in waiting { _ = strikeOff(ticket) }
        return [.answer(waiting)]
    }

    /// The work reports. Abandoned work has nobody to tell, and less than before is told to nobody.
    mutating func reported(_ progress: WorkProgress, by id: JobID) -> [Action] {
        guard let job = jobs[id], !job.order.isEmpty, progress.completedBytes >= job.latest?.completedBytes ?? 0
        else { return [] }
        jobs[id]?.latest = progress
        return [.tellProgress(progress, job.order.tickets)]
    }

    /// A waiter wants something else; it may wait for several pieces of work.
    mutating func reprioritised(_ waiter: WaiterID, to priority: RequestPriority) -> [(job: JobID, actions: [Action])] {
        (tickets[waiter] ?? []).compactMap { ticket in
            guard let member = members[ticket] else { return nil }
            members[ticket]?.priority = priority
            jobs[member.job]?.tally.remove(member.priority)
            jobs[member.job]?.tally.add(priority)
            return (member.job, refreshPriority(of: member.job))
        }
    }

    /// The work asks to be told of its priority, beginning with the present one. Abandoned work is told nothing.
    func listened(_ id: JobID) -> [Action] {
        guard let job = jobs[id], !job.order.isEmpty else { return [] }
        return [.tellPriority(job.priority)]
    }

    private mutating func newJob(key: Key, priority: RequestPriority) -> JobID {
        lastJob += 1
        let id = JobID(rawValue: lastJob)
        jobs[id] = Job(key: key, priority: priority)
        current[key] = id
        return id
    }

    private mutating func strikeOff(_ ticket: JoinTicket) -> Membership? {
        guard let member = members.removeValue(forKey: ticket) else { return nil }
        tickets[member.waiter]?.removeAll { $0 == ticket }
        if tickets[member.waiter]?.isEmpty == true { tickets[member.waiter] = nil }
        return member
    }

    private mutating func refreshPriority(of id: JobID) -> [Action] {
        guard let job = jobs[id], let maximum = job.tally.maximum, maximum != job.priority else { return [] }
        jobs[id]?.priority = maximum
        return [.tellPriority(maximum)]
    }
}
