import ImageCore
import ImageTesting

extension RequestCoalescerContract {
    /// Every promise to those who are called back: those to whoever waits in a task, and that they are answered once.
    public static let callbackRules: [ContractRule<Subject>] =
        commonRules.map { rule in
            ContractRule("called back: \(rule.name)") { make in try await rule.check { CallingBack(base: make()) } }
        } + [answersOnce]

    private static let answersOnce = ContractRule<Subject>("who is called back is answered once, however it leaves") {
        make in
        let stage = CoalescingStage(make())
        let answers = Probe<Result<Int, any Error>>()
        let leaves = (0..<2).map { _ in join(stage, answers) }
        leaves[0]()
        leaves[0]()
        try expectCancellation(await answers.reaches(1) ? answers.all[0] : nil)
        stage.gate.open()
        let isAnswered = await answers.reaches(2)
        leaves[1]()
        try expect(isAnswered && (try? answers.all[1].get()) == 7, "who stayed was answered with \(answers.all)")
        // What comes later for the same key is answered after all else that there was to answer.
        try await stage.ask(9)
        try await stage.expectValue(7, of: 9)
        try expect(answers.all.count == 2, "\(answers.all.count) answers for two who were called back")
    }

    private static func join(
        _ stage: CoalescingStage, _ answers: Probe<Result<Int, any Error>>
    ) -> @Sendable () -> Void {
        stage.coalescer.join("key", as: WaiterID(rawValue: 1), priority: .normal) {
        } onProgress: { _ in
        } onAnswer: {
            answers.append($0)
        } work: { _ in
            await stage.gate.pass()
            return 7
        }
    }

    private static func expectCancellation(_ answer: Result<Int, any Error>?) throws {
        guard case .failure(let error)? = answer, error is CancellationError else {
            throw ContractViolation("who left was answered with \(String(describing: answer))")
        }
    }
}

/// Asks another coalescer by `join` for what it is asked by `value`.
private struct CallingBack: RequestCoalescer {
    let base: any RequestCoalescer<String, Int>

    func value(
        for key: String, waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Int
    ) async throws -> Int {
        let answers = Probe<Result<Int, any Error>>()
        let leave = base.join(
            key, as: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress,
            onAnswer: { answers.append($0) }, work: work)
        return try await withTaskCancellationHandler {
            let isAnswered = await answers.reaches(1)
            try expect(isAnswered, "it was never called back")
            return try answers.all[0].get()
        } onCancel: {
            leave()
        }
    }

    func setPriority(_ priority: RequestPriority, of waiter: WaiterID) { base.setPriority(priority, of: waiter) }
    func close(throwing error: any Error) { base.close(throwing: error) }
}
