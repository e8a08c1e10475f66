import ImageCore
import ImageTesting
import Testing

@testable import ImageCoalescing

@Suite("State of an operation", .timeLimit(.minutes(5)))
struct OperationStateTests {
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

private func caller(_ id: Int) -> OperationCaller {
    OperationCaller(id: id, onProgress: { _ in }, following: LivePriority(.low).follow(LivePriority(.normal)))
}
