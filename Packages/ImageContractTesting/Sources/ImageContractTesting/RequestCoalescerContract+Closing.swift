import ImageCore
import ImageTesting

extension RequestCoalescerContract {
    static let closingAnswers = ContractRule<Subject>(
        "closing answers every waiter with its error, and cancels the work"
    ) {
        make in
        let stage = CoalescingStage(make())
        for number in 1...3 { try await stage.ask(number) }
        stage.coalescer.close(throwing: ImageError.offline)
        for number in 1...3 { try await expectOffline(number, on: stage) }
        stage.gate.open()
        let isOver = await stage.cancellations.reaches(1)
        try expect(isOver && stage.cancellations.all == [true], "the work went on uncancelled")
        try expect(stage.answers.all.count == 3, "\(stage.answers.all.count) answers for three waiters")
    }

    static let closingIsFinal = ContractRule<Subject>(
        "whoever asks after the closing starts no work and is answered with the error of the first closing"
    ) { make in
        let stage = CoalescingStage(make())
        stage.gate.open()
        stage.coalescer.close(throwing: ImageError.offline)
        stage.coalescer.close(throwing: ImageError.notFound)
        stage.start(1)
        try await expectOffline(1, on: stage)
        try expect(stage.works.count == 0, "the work was called")
    }

    private static func expectOffline(_ waiter: Int, on stage: CoalescingStage) async throws {
        let error = try await stage.error(of: waiter)
        if case ImageError.offline? = error { return }
        throw ContractViolation("waiter \(waiter) was answered with \(String(describing: error))")
    }
}
