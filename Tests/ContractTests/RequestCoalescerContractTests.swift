import ImageCoalescing
import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of RequestCoalescer")
struct RequestCoalescerContractTests {
    typealias Rule = ContractRule<RequestCoalescerContract.Subject>

    private static let rules = RequestCoalescerContract.rules + RequestCoalescerContract.callbackRules

    @Test("SharedWorkCoalescer obeys", arguments: rules)
    func sharedWorkCoalescer(_ rule: Rule) async throws {
        try await rule.check { SharedWorkCoalescer<String, Int>() }
    }

    @Test("RecordingCoalescer obeys when what it records does", arguments: rules)
    func recordingCoalescer(_ rule: Rule) async throws {
        try await rule.check { RecordingCoalescer(SharedWorkCoalescer<String, Int>()) }
    }

    @Test(
        "a coalescer that has no way of its own to call back obeys", arguments: RequestCoalescerContract.callbackRules)
    func callingBackByDefault(_ rule: Rule) async throws {
        try await rule.check { BrokenCoalescer(nil) }
    }

    @Test("each rule bites a coalescer that breaks it", arguments: BrokenCoalescer.Defect.allCases)
    func brokenDouble(_ defect: BrokenCoalescer.Defect) async throws {
        let rules = Self.rules.filter { $0.name.hasSuffix(defect.rawValue) }
        // For tasks alone, for those who are called back alone, or for both.
        #expect(rules.count == (defect == .worksForNobody || defect == .answersTwice ? 1 : 2))
        for rule in rules {
            await #expect(throws: ContractViolation.self) {
                try await rule.checkBrokenDouble { BrokenCoalescer(defect) }
            }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        let bitten = BrokenCoalescer.Defect.allCases.flatMap { [$0.rawValue, "called back: \($0.rawValue)"] }
        #expect(Set(Self.rules.map(\.name)).isSubset(of: bitten))
    }
}

/// A coalescer that breaks one promise, the one that its defect names.
final class BrokenCoalescer: RequestCoalescer {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case sharesNothing = "whoever asks while work is under way joins it"
        case swallowsErrors = "the work's error reaches every waiter"
        case losesJoins = "a join at any moment is answered exactly once"
        case worksForNobody = "a waiter whose task is cancelled before it asks starts no work"
        case passesCancellation = "work that throws CancellationError by itself is a failure for those who wait"
        case oneCancelsAll = "a waiter that leaves changes nothing for the others"
        case neverCancels = "the last waiter to leave cancels the work"
        case joinsAbandoned = "whoever asks after the last has left starts anew, while the old work winds down"
        case ignoresPriority = "work has the maximum of its waiters' priorities"
        case joinsLater = "a priority that is set as soon as the waiter has joined counts"
        case tellsLater = "a handler is told the present maximum when it is set"
        case tellsNothing = "a handler is told each new maximum, in order"
        case forgetsProgress = "a late joiner is told the latest report"
        case shufflesProgress = "reports are told in order, all of them before the answer"
        case goesBack = "a report of less than before is not told"
        case closesInSilence = "closing answers every waiter with its error, and cancels the work"
        case opensAgain =
            "whoever asks after the closing starts no work and is answered with the error of the first closing"
        case answersTwice = "who is called back is answered once, however it leaves"

        var testDescription: String { rawValue }
    }

    typealias Work = @Sendable (any SharedWork) async throws -> Int

    private let defect: Defect?
    private let base = SharedWorkCoalescer<String, Int>()
    private let calls = Mutex(0)
    private let isSpoilt = Mutex(false)

    init(_ defect: Defect?) { self.defect = defect }

    func value(
        for key: String, waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void, work: @escaping Work
    ) async throws -> Int {
        let number = calls.withLock { calls in
            calls += 1
            return calls
        }
        let key = defect == .sharesNothing ? "\(key) \(number)" : key
        let priority = defect == .ignoresPriority ? .normal : priority
        let onProgress = spoilt(onProgress, of: number)
        let onJoin = spoilt(onJoin)
        let ask: @Sendable () async throws -> Int = { [base, self] in
            try await base.value(
                for: key, waiter: waiter, priority: priority, onJoin: onJoin,
                onProgress: onProgress, work: spoilt(work))
        }
        switch defect {
        case .losesJoins where number > 1: await Gate().pass()
        case .worksForNobody: return try await Task.detached { try await ask() }.value
        case .joinsAbandoned, .neverCancels: keepAlive(key, work, number)
        default: break
        }
        return try await answer(ask)
    }

    func join(
        _ key: String, as waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Int, any Error>) -> Void, work: @escaping Work
    ) -> @Sendable () -> Void {
        let answer: @Sendable (Result<Int, any Error>) -> Void = { [defect] answer in
            onAnswer(answer)
            if defect == .answersTwice { onAnswer(answer) }
        }
        return joinInTask(
            key, as: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress, onAnswer: answer, work: work)
    }

    func setPriority(_ priority: RequestPriority, of waiter: WaiterID) { base.setPriority(priority, of: waiter) }

    func close(throwing error: any Error) {
        if defect != .closesInSilence, defect != .opensAgain { base.close(throwing: error) }
    }

    private func answer(_ ask: @Sendable () async throws -> Int) async throws -> Int {
        try await withTaskCancellationHandler {
            do {
                return try await ask()
            } catch CoalescingFailure.workCancelledItself where defect == .passesCancellation {
                throw CancellationError()
            } catch is DecodingFailure where defect == .swallowsErrors {
                return 0
            }
        } onCancel: {
            isSpoilt.withLock { $0 = true }
        }
    }

    /// A waiter that never leaves.
    private func keepAlive(_ key: String, _ work: @escaping Work, _ number: Int) {
        guard number == 1 else { return }
        Task.detached { [base] in
            try await base.value(
                for: key, waiter: WaiterID(rawValue: .max), priority: .veryLow, onProgress: { _ in }, work: work)
        }
    }

    private func spoilt(_ onJoin: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard defect == .joinsLater else { return onJoin }
        onJoin()
        return {}
    }

    private func spoilt(_ work: @escaping Work) -> Work {
        { [defect, self] shared in
            let value = try await work(BrokenSharedWork(base: shared, defect: defect))
            let spoilt = isSpoilt.withLock { $0 }
            if defect == .oneCancelsAll, spoilt { throw DecodingFailure.cancelled }
            return value
        }
    }

    private func spoilt(
        _ onProgress: @escaping @Sendable (WorkProgress) -> Void, of number: Int
    ) -> @Sendable (WorkProgress) -> Void {
        let told = Counter()
        return { [defect] progress in
            let count = told.next()
            if defect == .forgetsProgress, number > 1, count == 0 { return }
            if defect == .shufflesProgress, count == 3 { return }
            onProgress(progress)
            if defect == .goesBack { onProgress(WorkProgress(completedBytes: 0, totalBytes: nil)) }
        }
    }
}

/// Work that is not told of its priority as promised.
private struct BrokenSharedWork: SharedWork {
    let base: any SharedWork
    let defect: BrokenCoalescer.Defect?

    var priority: RequestPriority { base.priority }

    func onPriorityChange(_ handler: @escaping @Sendable (RequestPriority) -> Void) {
        let told = Counter()
        base.onPriorityChange { [defect] priority in
            let isFirst = told.next() == 0
            if defect == .tellsLater, isFirst { return }
            if defect == .tellsNothing, !isFirst { return }
            handler(priority)
        }
    }

    func report(_ progress: WorkProgress) { base.report(progress) }
}
