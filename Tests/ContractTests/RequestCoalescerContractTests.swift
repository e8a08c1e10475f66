import ImageCoalescing
import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of RequestCoalescer")
struct RequestCoalescerContractTests {
    typealias Rule = ContractRule<RequestCoalescerContract.Subject>

    @Test("SharedWorkCoalescer obeys", arguments: RequestCoalescerContract.rules)
    func sharedWorkCoalescer(_ rule: Rule) async throws {
        try await rule.check { SharedWorkCoalescer<String, Int>() }
    }

    @Test("RecordingCoalescer obeys when what it records does", arguments: RequestCoalescerContract.rules)
    func recordingCoalescer(_ rule: Rule) async throws {
        try await rule.check { RecordingCoalescer(SharedWorkCoalescer<String, Int>()) }
    }

    @Test("the double obeys that breaks nothing", arguments: RequestCoalescerContract.rules)
    func unbrokenDouble(_ rule: Rule) async throws {
        try await rule.check { BrokenCoalescer(nil) }
    }

    @Test("each rule bites a coalescer that breaks it", arguments: BrokenCoalescer.Defect.allCases)
    func brokenDouble(_ defect: BrokenCoalescer.Defect) async throws {
        let rule = try #require(RequestCoalescerContract.rules.first { $0.name == defect.rawValue })
        guard BrokenCoalescer.canShow(defect) else { return }
        await #expect(throws: ContractViolation.self) {
            try await rule.checkBrokenDouble { BrokenCoalescer(defect) }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        let bitten = BrokenCoalescer.Defect.allCases.map(\.rawValue)
        #expect(Set(RequestCoalescerContract.rules.map(\.name)) == Set(bitten))
    }
}

/// A coalescer that breaks one promise, the one that its defect names.
final class BrokenCoalescer: RequestCoalescer {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case sharesNothing = "whoever asks while work is under way joins it"
        case swallowsErrors = "the work's error reaches every waiter"
        case losesJoins = "a join at any moment is answered exactly once"
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
        case answersTwice = "a waiter is answered once, however it leaves"
        case outlivesAnswers = "a waiter's place does nothing once it is answered"
        case neverBegins = "work has begun when the first has joined, and goes on when it says so"
        case hurries = "work does not go on before it has begun"
        case neverGivesUp = "work that everybody leaves before it goes on is told so once, and never goes on"

        var testDescription: String { rawValue }
    }

    typealias Begin = SharedWorkBeginning<Int>
    typealias Rest = @Sendable () async throws -> Int

    private let defect: Defect?
    private let base = SharedWorkCoalescer<String, Int>()
    private let calls = Counter()
    private let isSpoilt = Mutex(false)
    /// That of the last to join.
    private let lastPlace = Mutex<(any SharedWorkPlace)?>(nil)

    init(_ defect: Defect?) { self.defect = defect }

    /// Going on inside of `begin` takes a task that starts on the caller's thread.
    static func canShow(_ defect: Defect) -> Bool {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return true }
        return defect != .hurries
    }

    func join(
        _ key: String, as waiter: any SharedWorkWaiter<Int>, priority: RequestPriority, begin: Begin
    ) -> any SharedWorkPlace {
        let number = calls.next() + 1
        let key = defect == .sharesNothing ? "\(key) \(number)" : key
        if defect == .joinsAbandoned || defect == .neverCancels { keepAlive(key, begin, number) }
        let place = base.join(
            key, priority: defect == .ignoresPriority ? .normal : priority,
            onProgress: spoilt({ waiter.progressed($0) }, of: number),
            onAnswer: spoilt({ waiter.ended(with: $0) }, of: number)
        ) { work, proceed in
            spoilt(begin, work, proceed)
        }
        lastPlace.withLock { $0 = place }
        return BrokenPlace(base: place, coalescer: self)
    }

    fileprivate func setPriority(_ priority: RequestPriority, at place: any SharedWorkPlace, isFirst: Bool) {
        if defect == .outlivesAnswers { lastPlace.withLock { $0 }?.setPriority(priority) }
        if defect != .joinsLater || !isFirst { place.setPriority(priority) }
    }

    fileprivate func leave(_ place: any SharedWorkPlace) {
        isSpoilt.withLock { $0 = true }
        place.leave()
    }

    func close(throwing error: any Error) {
        if defect != .closesInSilence, defect != .opensAgain { base.close(throwing: error) }
    }

    /// A waiter that never leaves.
    private func keepAlive(_ key: String, _ begin: Begin, _ number: Int) {
        if number == 1 { _ = base.join(key, priority: .veryLow, onAnswer: { _ in }, begin: begin) }
    }

    private func spoilt(
        _ onAnswer: @escaping @Sendable (Result<Int, any Error>) -> Void, of number: Int
    ) -> @Sendable (Result<Int, any Error>) -> Void {
        { [defect] answer in
            switch defect {
            case .losesJoins where number > 1: return
            case .answersTwice: onAnswer(answer)
            case .passesCancellation:
                if case .failure(CoalescingFailure.workCancelledItself) = answer {
                    return onAnswer(.failure(CancellationError()))
                }
            case .swallowsErrors:
                if case .failure(is DecodingFailure) = answer { return onAnswer(.success(0)) }
            default: break
            }
            onAnswer(answer)
        }
    }

    private func spoilt(
        _ begin: Begin, _ shared: any SharedWork, _ proceed: @escaping @Sendable (@escaping Rest) -> Void
    ) -> @Sendable () -> Void {
        if defect == .neverBegins { return {} }
        let giveUp = begin(BrokenSharedWork(base: shared, defect: defect)) { [defect] rest in
            guard defect == .hurries else { return proceed { try await self.spoilt(rest) } }
            proceed(self.hurried(rest))
        }
        return { [defect] in if defect != .neverGivesUp { giveUp() } }
    }

    private func hurried(_ rest: @escaping Rest) -> Rest {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return rest }
        let run = Task.immediate { try await rest() }
        return { try await run.value }
    }

    private func spoilt(_ rest: Rest) async throws -> Int {
        let value = try await rest()
        let spoilt = isSpoilt.withLock { $0 }
        if defect == .oneCancelsAll, spoilt { throw DecodingFailure.cancelled }
        return value
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

private struct BrokenPlace: SharedWorkPlace {
    let base: any SharedWorkPlace
    let coalescer: BrokenCoalescer
    private let changes = Counter()

    init(base: any SharedWorkPlace, coalescer: BrokenCoalescer) {
        self.base = base
        self.coalescer = coalescer
    }

    func setPriority(_ priority: RequestPriority) {
        coalescer.setPriority(priority, at: base, isFirst: changes.next() == 0)
    }

    func leave() { coalescer.leave(base) }
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
