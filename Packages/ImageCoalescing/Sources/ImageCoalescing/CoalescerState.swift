import ImageCore

/// Who waits for which work, and what must happen after each event. Knows no keys, closures, tasks or locks.
///
/// What excludes the races: a ticket is struck off in the same event that answers it, so it is answered once; work is joined only
/// while somebody waits for it, so nobody joins work that ends or winds down, and what abandoned work still says or returns
/// finds no ticket.
struct CoalescerState: Sendable {
    /// What a joining waiter is told, and the work.
    struct Joining: Hashable, Sendable {
        /// The latest report, for the waiter.
        var progress: WorkProgress?
        /// The work's priority, if it is a new one.
        var priority: RequestPriority?
    }

    /// What the work is told when a waiter has left, who gets a `CancellationError`.
    struct Leaving: Hashable, Sendable {
        var job: JobID
        /// Whether nobody is left: the work is cancelled.
        var isLast: Bool
        /// The work's priority, if it is a new one.
        var priority: RequestPriority?
    }

    private struct Job: Sendable {
        var first: JoinTicket?
        var last: JoinTicket?
        var tally = PriorityTally()
        /// The maximum of the waiters' priorities; the last one there was when nobody waits any more.
        var priority: RequestPriority
        var latest: WorkProgress?

        /// Appends a waiter.
        mutating func enter(_ ticket: JoinTicket, _ priority: RequestPriority) -> Entrance {
            tally.add(priority)
            if first == nil { first = ticket }
            defer { last = ticket }
            return Entrance(previous: last, latest: latest, maximum: refreshedPriority())
        }

        /// Takes a waiter out, whose neighbours are known.
        mutating func leave(_ member: Membership) {
            tally.remove(member.priority)
            if member.previous == nil { first = member.next }
            if member.next == nil { last = member.previous }
        }

        /// Nobody waits any more.
        mutating func vacate() { (first, last, tally) = (nil, nil, PriorityTally()) }

        /// A waiter wants something else. The new maximum, if there is one.
        mutating func moved(from old: RequestPriority, to new: RequestPriority) -> RequestPriority? {
            tally.remove(old)
            tally.add(new)
            return refreshedPriority()
        }

        /// The new maximum, if there is one.
        mutating func refreshedPriority() -> RequestPriority? {
            guard let maximum = tally.maximum, maximum != priority else { return nil }
            priority = maximum
            return maximum
        }
    }

    /// What a waiter finds that comes to a job.
    private struct Entrance {
        var previous: JoinTicket?
        var latest: WorkProgress?
        /// The job's priority, if it is a new one.
        var maximum: RequestPriority?
    }

    private struct Membership: Sendable {
        var job: JobID
        var priority: RequestPriority
        /// The neighbours among the job's waiters, in the order in which they joined.
        var previous: JoinTicket?
        var next: JoinTicket?
    }

    /// Work whose closure has not returned yet.
    private var jobs = TicketTable<JobID, Job>()
    private var jobNames = TicketRoll<JobID>()
    private var members = TicketTable<JoinTicket, Membership>()

    var waiterCount: Int { members.count }
    var jobCount: Int { jobs.count }
    var isEmpty: Bool { members.isEmpty && jobs.isEmpty }

    /// True when the work goes on although nobody waits for it, or is done: nobody may join it.
    func isAbandoned(_ id: JobID) -> Bool { jobs.with(id) { $0?.first } == nil }

    func isUnderWay(_ id: JobID) -> Bool { jobs.contains(id) }

    /// Nil when the work is done.
    func priority(of id: JobID) -> RequestPriority? { jobs.with(id) { $0?.priority } }

    /// A waiter comes, and has new work started.
    mutating func began(_ ticket: JoinTicket, priority: RequestPriority) -> JobID {
        let id = jobNames.take()
        jobs[id] = Job(priority: priority)
        _ = enter(ticket, id, priority)
        return id
    }

    /// Nothing is kept under this name any more, here or elsewhere: other work may use its place.
    mutating func forgot(_ id: JobID) { jobNames.giveBack(id) }

    /// A waiter comes, and joins work that somebody waits for.
    mutating func joined(_ ticket: JoinTicket, _ id: JobID, priority: RequestPriority) -> Joining {
        let entrance = enter(ticket, id, priority)
        return Joining(progress: entrance?.latest, priority: entrance?.maximum)
    }

    /// A waiter's task was cancelled. A ticket that is answered already, or never joined, changes nothing.
    mutating func left(_ ticket: JoinTicket) -> Leaving? {
        guard let member = members.remove(ticket) else { return nil }
        let id = member.job
        if let previous = member.previous { members.change(previous) { $0?.next = member.next } }
        if let next = member.next { members.change(next) { $0?.previous = member.previous } }
        jobs.change(id) { $0?.leave(member) }
        let priority = jobs.change(id) { $0?.refreshedPriority() }
        return Leaving(job: id, isLast: isAbandoned(id), priority: priority)
    }

    /// The work's closure returned or threw. Its outcome goes to these.
    mutating func finished(_ id: JobID) -> ShortList<JoinTicket> { strikeOffAll(from: jobs.remove(id)?.first) }

    /// All waiters are to be answered at once, and nobody will wait any more: the work is cancelled.
    mutating func closed() -> [(job: JobID, answered: ShortList<JoinTicket>)] {
        jobs.names.compactMap { id in
            let waiting = strikeOffAll(from: jobs[id]?.first)
            guard !waiting.isEmpty else { return nil }
            jobs.change(id) { $0?.vacate() }
            return (id, waiting)
        }
    }

    /// The work reports, and these are told. Abandoned work has nobody to tell, and less than before is told to nobody.
    mutating func reported(_ progress: WorkProgress, by id: JobID) -> ShortList<JoinTicket> {
        let first = jobs.change(id) { job -> JoinTicket? in
            guard progress.completedBytes >= job?.latest?.completedBytes ?? 0 else { return nil }
            if job?.first != nil { job?.latest = progress }
            return job?.first
        }
        return waiting(from: first)
    }

    /// A waiter wants something else. Its work with the new priority, if that is one. A ticket that is answered already changes nothing.
    mutating func reprioritised(
        _ ticket: JoinTicket, to priority: RequestPriority
    ) -> (job: JobID, RequestPriority)? {
        guard let member = members[ticket], member.priority != priority else { return nil }
        members.change(ticket) { $0?.priority = priority }
        return jobs.change(member.job) { $0?.moved(from: member.priority, to: priority) }.map { (member.job, $0) }
    }

    /// The work asks to be told of its priority, beginning with the present one. Abandoned work is told nothing.
    func listened(_ id: JobID) -> RequestPriority? { isAbandoned(id) ? nil : priority(of: id) }

    private mutating func enter(_ ticket: JoinTicket, _ id: JobID, _ priority: RequestPriority) -> Entrance? {
        guard let entrance = jobs.change(id, { $0?.enter(ticket, priority) }) else { return nil }
        if let previous = entrance.previous { members.change(previous) { $0?.next = ticket } }
        members[ticket] = Membership(job: id, priority: priority, previous: entrance.previous)
        return entrance
    }

    private func waiting(from first: JoinTicket?) -> ShortList<JoinTicket> {
        var (next, all) = (first, ShortList<JoinTicket>())
        while let ticket = next {
            all.append(ticket)
            next = members.with(ticket) { $0?.next }
        }
        return all
    }

    private mutating func strikeOffAll(from first: JoinTicket?) -> ShortList<JoinTicket> {
        var (next, all) = (first, ShortList<JoinTicket>())
        while let ticket = next {
            all.append(ticket)
            next = members.remove(ticket)?.next
        }
        return all
    }
}
