public import ImageCore
import ImageTesting

/// The contract of `RequestCoalescer`.
public enum RequestCoalescerContract {
    /// Makes a new coalescer.
    public typealias Subject = @Sendable () -> any RequestCoalescer<String, Int>

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        answersByItsOperation, endsOnce, sharesOperation, highestPriority, cancelledCall, replaysProgress, closing,
    ]

    /// Creates a rule that ends its operations, whether it passes or fails.
    private static func rule(
        _ name: String, body: @escaping @Sendable (CoalescingFixture) async throws -> Void
    ) -> ContractRule<Subject> {
        ContractRule(name) { make in
            let fixture = CoalescingFixture(make())
            defer { fixture.gate.open() }
            try await body(fixture)
        }
    }

    // MARK: Results

    private static let answersByItsOperation = rule(
        "callers receive the operation's value or error, never its CancellationError, and later callers start a new one"
    ) { fixture in
        fixture.gate.open()
        try await fixture.join(1) { 1 }
        try await fixture.expectValue(1, of: 1)
        let held = TestGate()
        for caller in 2...3 { try await fixture.join(caller, gate: held) { throw ImageDecodingError.unknownFormat } }
        held.open()
        for caller in 2...3 {
            let error = try await fixture.error(of: caller)
            try expect(error is ImageDecodingError, "caller \(caller) received \(String(describing: error))")
        }
        try await fixture.join(4) { throw CancellationError() }
        let error = try await fixture.error(of: 4)
        try expect(error != nil, "the caller received a value")
        try expect(!(error is CancellationError), "the caller received a CancellationError")
        try await fixture.join(5) { 5 }
        try await fixture.expectValue(5, of: 5)
    }

    private static let endsOnce = rule("a call that is made or cancelled at any moment ends exactly once") { fixture in
        fixture.gate.open()
        for round in 0..<100 {
            let callers = round * 4..<round * 4 + 4
            for caller in callers { fixture.start(caller) }
            fixture.cancel(round * 4 + round % 8)  // in half of the rounds, none of them
            let haveEnded = await fixture.answers.reaches(callers.upperBound)
            try expect(haveEnded, "\(fixture.answers.messages.count) of \(callers.upperBound) calls have ended")
        }
        try await fixture.settle()
        try expect(fixture.answers.messages.count == 400, "\(fixture.answers.messages.count) answers for 400 calls")
        for answer in fixture.answers.messages { try expectRegular(answer) }
    }

    private static func expectRegular(_ answer: CoalescingFixture.Answer) throws {
        let wasCancelled = answer.caller % 4 == answer.caller / 4 % 8
        switch answer.result {
        case .success(7): return
        case .failure(is CancellationError) where wasCancelled: return
        default: throw ContractViolation("caller \(answer.caller) received \(answer.result)")
        }
    }

    // MARK: Sharing

    private static let sharesOperation = rule("callers that ask for a key while its operation runs share it") {
        fixture in
        for caller in 1...50 { fixture.start(caller) }
        for caller in 1...50 { try await fixture.expectProgress(of: caller) }
        try await fixture.join(51)
        try await fixture.join(52, key: "other") { 8 }
        let count = fixture.operations.messages.count
        try expect(count == 2, "\(count) operations were started for two keys")
        fixture.gate.open()
        for caller in 1...51 { try await fixture.expectValue(7, of: caller) }
        try await fixture.expectValue(8, of: 52)
    }

    private static let highestPriority = rule(
        "an operation has the highest of its callers' priorities, and callers that leave do not affect the others"
    ) { fixture in
        try await fixture.join(1, .low)
        try await fixture.join(2, .high)
        try await fixture.expectPriority(.high, "after a high caller has joined a low one")
        fixture.priority(of: 1).value = .veryHigh
        try await fixture.expectPriority(.veryHigh, "after a caller was raised to veryHigh")
        fixture.priority(of: 1).value = .normal
        try await fixture.expectPriority(.high, "after this caller was lowered")
        try await fixture.leave(2)
        try await fixture.expectPriority(.normal, "after the higher caller has left")
        fixture.gate.open()
        try await fixture.expectValue(7, of: 1)
        try await fixture.expectCancellations(false)
    }

    // MARK: Cancellation and progress

    private static let cancelledCall = rule(
        "a cancelled call throws CancellationError at once, and the last one cancels the operation's task"
    ) { fixture in
        for caller in 1...2 { try await fixture.join(caller) }
        for caller in 1...2 { try await fixture.leave(caller) }
        try expect(fixture.cancellations.messages.count == 0, "the operation has ended")
        fixture.gate.open()
        try await fixture.expectCancellations(true)
    }

    private static let replaysProgress = rule(
        "progress reaches every caller, and a caller that joins late receives the latest at once, with its preview"
    ) { fixture in
        for caller in 1...2 { try await fixture.join(caller) }
        let operation = try fixture.operation()
        operation.report(bytes(40, preview: 1))
        operation.report(bytes(50))
        try await fixture.expectProgress(of: 2, count: 3)
        try await fixture.join(3)
        let first = fixture.progress(of: 3).messages.first
        try expect(first == bytes(50, preview: 1), "received \(String(describing: first))")
    }

    // MARK: Closing

    private static let closing = rule(
        "the first closing ends current and later calls with its error, and cancels the operations"
    ) { fixture in
        for caller in 1...2 { try await fixture.join(caller) }
        fixture.coalescer.close(throwing: ImageError.offline)
        fixture.coalescer.close(throwing: ImageError.notFound)
        let operations = fixture.operations.messages
        fixture.start(3)
        for caller in 1...3 {
            let error = try await fixture.error(of: caller)
            guard case ImageError.offline? = error else {
                throw ContractViolation("caller \(caller) received \(String(describing: error))")
            }
        }
        for operation in operations { operation.report(bytes(50)) }
        fixture.gate.open()
        try await fixture.expectCancellations(true)
        try expect(fixture.operations.messages.count == operations.count, "an operation was started after closing")
        for caller in 1...2 {
            try expect(fixture.bytes(of: caller) == [0], "caller \(caller) received \(fixture.bytes(of: caller))")
        }
    }

    private static func bytes(_ count: Int, of total: Int? = nil, preview: Int? = nil) -> WorkProgress {
        WorkProgress(completedByteCount: count, totalByteCount: total, preview: preview.map(makePreview))
    }

    private static func makePreview(_ number: Int) -> ImagePreview {
        let size = PixelSize(width: 1, height: 1)
        let bitmap = Bitmap(size: size, pixels: [0, 0, 0, 255], isOpaque: true)
        let header = ImageHeader(format: .fake, storedSize: size)
        return ImagePreview(DecodedImage(bitmap: bitmap, header: header), number: number)
    }
}
