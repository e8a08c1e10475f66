import ImageCore
import ImageTesting
import Testing

@testable import ImageCoalescing

@Suite("Coalescer state")
struct CoalescerStateTests {
    /// One waiter as the plainest model keeps it.
    private struct Waiter {
        var ticket: JoinTicket
        var job: JobID
        var priority: RequestPriority
    }

    /// Drives the state machine with random events, and checks every action against a list of waiters.
    private struct Walk {
        var random: SeededRandom
        var state = CoalescerState()
        var waiters: [Waiter] = []
        /// The work that is joined by key, and all whose closure has not returned.
        var current: [Int: JobID] = [:]
        var underWay: [JobID] = []
        var priorities: [JobID: RequestPriority] = [:]
        var latest: [JobID: WorkProgress] = [:]
        var answered: Set<JoinTicket> = []
        var joins: UInt64 = 0

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        mutating func step() throws {
            switch Int.random(in: 0..<20, using: &random) {
            case _ where Int.random(in: 0..<300, using: &random) == 0: try close()
            case 0..<8: try join()
            case 8..<13: try leave()
            case 13..<15: try finish()
            case 15..<18: try reprioritise()
            case 18: try report()
            default: try listen()
            }
            try checkInvariants()
        }

        mutating func drain() throws {
            while !underWay.isEmpty { try finish() }
            #expect(answered.count == Int(joins))
            #expect(state.isEmpty)
        }

        private mutating func join() throws {
            joins += 1
            let key = Int.random(in: 0..<4, using: &random)
            let ticket = JoinTicket(number: joins)
            let priority = anyPriority()
            guard let joined = current[key] else {
                let job = state.began(ticket, priority: priority)
                waiters.append(Waiter(ticket: ticket, job: job, priority: priority))
                try #require(!underWay.contains(job))
                current[key] = job
                underWay.append(job)
                priorities[job] = priority
                return
            }
            let joining = state.joined(ticket, joined, priority: priority)
            waiters.append(Waiter(ticket: ticket, job: joined, priority: priority))
            try #require(joining.progress == latest[joined] && joining.priority == priorityChange(of: joined))
        }

        private mutating func leave() throws {
            let waits = Int.random(in: 0..<5, using: &random) > 0
            let chosen = waits ? waiters.randomElement(using: &random)?.ticket : nil
            let ticket = chosen ?? JoinTicket(number: UInt64.random(in: 0...joins + 1, using: &random))
            let left = state.left(ticket)
            guard let index = waiters.firstIndex(where: { $0.ticket == ticket }) else {
                try #require(left == nil)
                return
            }
            let job = waiters.remove(at: index).job
            try #require(answered.insert(ticket).inserted)
            let isLast = !waiters.contains { $0.job == job }
            if isLast { current = current.filter { $0.value != job } }
            let priority = isLast ? nil : priorityChange(of: job)
            try #require(left == CoalescerState.Leaving(job: job, isLast: isLast, priority: priority))
        }

        private mutating func finish() throws {
            guard let index = underWay.indices.randomElement(using: &random) else { return }
            let job = underWay.remove(at: index)
            let waiting = waiters.filter { $0.job == job }.map(\.ticket)
            waiters.removeAll { $0.job == job }
            current = current.filter { $0.value != job }
            for ticket in waiting { try #require(answered.insert(ticket).inserted, "answered twice") }
            let finished = state.finished(job)
            try #require(finished.all == waiting)
            let again = state.finished(job)
            try #require(again.isEmpty)
        }

        private mutating func close() throws {
            let expected = underWay.compactMap { job -> (JobID, [JoinTicket])? in
                let waiting = waiters.filter { $0.job == job }.map(\.ticket)
                return waiting.isEmpty ? nil : (job, waiting)
            }
            for waiter in waiters { try #require(answered.insert(waiter.ticket).inserted, "answered twice") }
            (waiters, current) = ([], [:])
            let closed = state.closed().map { ($0.job, $0.answered.all) }
            try #require(Dictionary(uniqueKeysWithValues: closed) == Dictionary(uniqueKeysWithValues: expected))
        }

        private mutating func reprioritise() throws {
            let waits = Int.random(in: 0..<5, using: &random) > 0
            let chosen = waits ? waiters.randomElement(using: &random)?.ticket : nil
            let ticket = chosen ?? JoinTicket(number: UInt64.random(in: 0...joins + 1, using: &random))
            let priority = anyPriority()
            let change = state.reprioritised(ticket, to: priority)
            guard let index = waiters.firstIndex(where: { $0.ticket == ticket }) else {
                try #require(change == nil)
                return
            }
            waiters[index].priority = priority
            let expected = priorityChange(of: waiters[index].job)
            try #require(change?.job == expected.map { _ in waiters[index].job } && change?.1 == expected)
        }

        private mutating func report() throws {
            guard let job = underWay.randomElement(using: &random) else { return }
            let progress = WorkProgress(completedBytes: Int.random(in: 0..<1_000, using: &random), totalBytes: nil)
            let waiting = waiters.filter { $0.job == job }.map(\.ticket)
            let told = state.reported(progress, by: job)
            let isTold = !waiting.isEmpty && progress.completedBytes >= latest[job]?.completedBytes ?? 0
            try #require(told.all == (isTold ? waiting : []))
            if isTold { latest[job] = progress }
        }

        private mutating func listen() throws {
            guard let job = underWay.randomElement(using: &random) else { return }
            try #require(state.listened(job) == maximum(of: job))
        }

        /// What must be told when the maximum is not what it was.
        private mutating func priorityChange(of job: JobID) -> RequestPriority? {
            guard let maximum = maximum(of: job), maximum != priorities[job] else { return nil }
            priorities[job] = maximum
            return maximum
        }

        private func maximum(of job: JobID) -> RequestPriority? {
            waiters.filter { $0.job == job }.map(\.priority).max()
        }

        private mutating func anyPriority() -> RequestPriority {
            RequestPriority.allCases.randomElement(using: &random) ?? .normal
        }

        private func checkInvariants() throws {
            try #require(state.waiterCount == waiters.count && state.jobCount == underWay.count)
            for job in underWay {
                try #require(state.priority(of: job) == priorities[job])
                try #require(state.isAbandoned(job) == (maximum(of: job) == nil))
            }
            try #require(answered.count + waiters.count == Int(joins))
        }
    }

    @Test(
        "random events answer each waiter once, and agree with a list of waiters",
        arguments: 1...4 as ClosedRange<UInt64>)
    func agreesWithModel(seed: UInt64) throws {
        var walk = Walk(seed: seed)
        for _ in 0..<15_000 { try walk.step() }
        try walk.drain()
    }

    @Test("100,000 waiters of one key join, change and leave without a quadratic step", .timeLimit(.minutes(10)))
    func manyWaiters() {
        var state = CoalescerState()
        let range = 1...100_000 as ClosedRange<UInt64>
        let job = state.began(JoinTicket(number: 0), priority: .normal)
        for number in range {
            _ = state.joined(JoinTicket(number: number), job, priority: .normal)
        }
        _ = state.left(JoinTicket(number: 0))
        for number in range { _ = state.reprioritised(JoinTicket(number: number), to: .low) }
        var cancels = 0
        for number in range.reversed() {
            let left = state.left(JoinTicket(number: number))
            if left?.isLast == true { cancels += 1 }
        }
        #expect(cancels == 1 && state.waiterCount == 0)
        let late = state.finished(job)
        #expect(late.isEmpty && state.isEmpty)
    }
}

extension JoinTicket {
    fileprivate init(number: UInt64) { self.init(index: UInt32(number), generation: 0) }
}
