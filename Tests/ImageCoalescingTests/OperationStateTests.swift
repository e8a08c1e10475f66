import ImageCore
import ImageTesting
import Testing

@testable import ImageCoalescing

@Suite("State of an operation", .timeLimit(.minutes(5)))
struct OperationStateTests {
    @Test("random events cause the same calls as in a simple model, in order", arguments: 1...4 as ClosedRange<UInt64>)
    func agreesWithModel(seed: UInt64) async throws {
        for number in 0..<500 {
            var walk = Walk(seed: seed &* 1_000 &+ UInt64(number))
            for _ in 0..<80 { try walk.step() }
            try walk.makeAllCalls()
            await walk.end()
        }
    }

    @Test("many callers join and leave in less than quadratic time")
    func manyCallers() {
        var state = OperationState()
        var callCount = 0
        func makeCalls(_ state: inout OperationState) {
            var call = state.firstCall()
            while call != nil {
                callCount += 1
                call = state.nextCall()
            }
        }
        for id in 0..<100_000 {
            _ = state.add(caller(id))
            if id == 0 { state.report(bytes(1)) }
            makeCalls(&state)
        }
        for id in (0..<100_000).reversed() {
            state.remove(id)
            makeCalls(&state)
        }
        #expect(state.isOver && callCount == 200_000)
    }
}

/// Applies the same random events to the state and to a model, and makes the calls one at a time, as a thread does.
private struct Walk {
    enum Message: Hashable, Sendable {
        case progress(Int, WorkProgress)
        case ended(Int, Result?, operationIsCancelled: Bool)
    }

    enum Result: Hashable, Sendable {
        case value, cancelled, closed
    }

    var random: SeededRandom
    var state = OperationState()
    /// The calls that were made, and those that the model expects.
    let log = MessageLog<Message>()
    var expected: [Message] = []
    /// The call that a thread is making.
    var call: OperationState.Call?
    // The model:
    var callers: [Int] = []
    var isOver = false
    var isCancelled = false
    var progress: WorkProgress?
    var lastID = 0
    let gate = Gate()
    let task: Task<Void, Never>

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        task = Task { [gate] in await gate.pass() }
        state.task = task
    }

    func end() async {
        gate.open()
        await task.value
    }

    mutating func step() throws {
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<8: try add()
        case 8..<13: try remove()
        case 13..<19: report()
        case 19: end(throwing: Bool.random(using: &random) ? ClosingError() : nil)
        default: try makeCall()
        }
        if let first = state.firstCall() {
            try #require(call == nil, "two calls at once")
            call = first
        }
        try #require(state.isOver == isOver && state.callers.keys.sorted() == callers)
        if call == nil { try #require(log.messages == expected && task.isCancelled == isCancelled) }
    }

    mutating func makeAllCalls() throws {
        while call != nil { try makeCall() }
        try #require(log.messages == expected && task.isCancelled == isCancelled)
    }

    private mutating func makeCall() throws {
        guard let call else { return }
        switch call {
        case .progress(let progress, let callers): for caller in callers { log.append(.progress(caller.id, progress)) }
        case .end(let callers, let error):
            let result: Result = error == nil ? .value : error is CancellationError ? .cancelled : .closed
            for caller in callers { log.append(.ended(caller.id, result, operationIsCancelled: task.isCancelled)) }
        case .cancel(let task): task.cancel()
        }
        try #require(log.messages == Array(expected.prefix(log.messages.count)))
        self.call = state.nextCall()
    }

    private mutating func add() throws {
        lastID += 1
        let wasAdded = state.add(caller(lastID))
        try #require(wasAdded == !isOver)
        if isOver { return }
        callers.append(lastID)
        if let progress { expected.append(.progress(lastID, progress)) }
    }

    private mutating func remove() throws {
        let id = Int.random(in: 0...lastID, using: &random)
        let index = callers.firstIndex(of: id)
        if let index {
            callers.remove(at: index)
            if callers.isEmpty { (isOver, isCancelled) = (true, true) }
            expected.append(.ended(id, .cancelled, operationIsCancelled: callers.isEmpty))
        }
        state.remove(id)
    }

    private mutating func report() {
        let newer = bytes(Int.random(in: 0..<20, using: &random))
        state.report(newer)
        if isOver { return }
        if let progress, progress.completedBytes >= newer.completedBytes { return }
        progress = newer
        expected += callers.map { .progress($0, newer) }
    }

    private mutating func end(throwing error: ClosingError?) {
        if let error { state.cancel(throwing: error) } else { state.end(throwing: nil) }
        isOver = true
        if error != nil { isCancelled = true }
        let result: Result = error == nil ? .value : .closed
        expected += callers.map { .ended($0, result, operationIsCancelled: isCancelled) }
        callers = []
    }
}

private struct ClosingError: Error {}

private func caller(_ id: Int) -> OperationCaller {
    OperationCaller(id: id, onProgress: { _ in }, following: LivePriority(.low).follow(LivePriority(.normal)))
}
