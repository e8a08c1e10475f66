import ImageCore
import ImageTesting
import Synchronization

/// Waiters for one key, each in a task of its own, and work that reports 0 bytes at once and then waits at a gate.
final class CoalescingStage: Sendable {
    struct Answer: Sendable {
        var waiter: Int
        var value: Int?
        var error: (any Error)?
    }

    let coalescer: any RequestCoalescer<String, Int>
    let gate = Gate()
    let works = Probe<any SharedWork>()
    let answers = Probe<Answer>()
    /// For each work that ended: was it cancelled?
    let cancellations = Probe<Bool>()
    private let tasks = Mutex<[Int: Task<Void, Never>]>([:])
    private let places = Mutex<[Int: any SharedWorkPlace]>([:])
    private let progress = Mutex<[Int: Probe<WorkProgress>]>([:])

    init(_ coalescer: any RequestCoalescer<String, Int>) { self.coalescer = coalescer }

    /// Starts a waiter, and returns when it has joined: that is when it is told the work's first report.
    func ask(
        _ waiter: Int, _ priority: RequestPriority = .normal, gate: Gate? = nil,
        result: @escaping @Sendable () throws -> Int = { 7 }, onJoin: @escaping @Sendable () -> Void = {}
    ) async throws {
        start(waiter, priority, gate: gate, result: result, onJoin: onJoin)
        let hasJoined = await progress(of: waiter).reaches(1)
        if !hasJoined { self.gate.open() }
        try expect(hasJoined, "waiter \(waiter) was never told of the work")
    }

    func start(
        _ waiter: Int, _ priority: RequestPriority = .normal, gate: Gate? = nil,
        result: @escaping @Sendable () throws -> Int = { 7 }, onJoin: @escaping @Sendable () -> Void = {}
    ) {
        let gate = gate ?? self.gate
        let told = progress(of: waiter)
        let task = Task { [coalescer, works, answers, cancellations] in
            do {
                let value = try await coalescer.value(
                    for: "key", priority: priority,
                    onJoin: { place in
                        self.places.withLock { $0[waiter] = place }
                        onJoin()
                    }, onProgress: { told.append($0) }
                ) { work in
                    works.append(work)
                    work.report(WorkProgress(completedBytes: 0, totalBytes: nil))
                    await gate.pass()
                    cancellations.append(Task.isCancelled)
                    return try result()
                }
                answers.append(Answer(waiter: waiter, value: value))
            } catch {
                answers.append(Answer(waiter: waiter, error: error))
            }
        }
        tasks.withLock { $0[waiter] = task }
    }

    /// Nothing happens before the waiter has joined.
    func setPriority(_ priority: RequestPriority, of waiter: Int) {
        places.withLock { $0[waiter] }?.setPriority(priority)
    }

    func leave(_ waiter: Int) { places.withLock { $0[waiter] }?.leave() }

    func cancel(_ waiter: Int) {
        let task = tasks.withLock { $0[waiter] }
        task?.cancel()
    }

    func progress(of waiter: Int) -> Probe<WorkProgress> {
        progress.withLock { progress in
            let probe = progress[waiter] ?? Probe()
            progress[waiter] = probe
            return probe
        }
    }

    /// The first work that was called.
    func work() throws -> any SharedWork {
        guard let work = works.all.first else { throw ContractViolation("the work was never called") }
        return work
    }

    func expectValue(_ value: Int, of waiter: Int) async throws {
        let answer = try await answer(of: waiter)
        try expect(answer.value == value, "waiter \(waiter) was answered with \(answer)")
    }

    /// Nil when the waiter was answered with a value.
    func error(of waiter: Int) async throws -> (any Error)? { try await answer(of: waiter).error }

    private func answer(of waiter: Int) async throws -> Answer {
        for count in 1... {
            let isThere = await answers.reaches(count)
            if !isThere { gate.open() }
            try expect(isThere, "waiter \(waiter) was never answered")
            let all = answers.all
            if let answer = all.first(where: { $0.waiter == waiter }) { return answer }
        }
        throw ContractViolation("waiter \(waiter) was never answered")
    }
}
