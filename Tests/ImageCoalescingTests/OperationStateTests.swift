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

/// The promises about progress, whose calls a state machine orders.
@Suite struct OperationProgressTests {
    @Test("merged progress is reported in order, and nothing to callers that have left or are added at the end")
    func order() {
        var state = OperationState()
        _ = state.add(caller(1))
        _ = state.add(caller(2))
        for count in [10, 20, 5] { state.report(bytes(count)) }
        let image = DecodedImage(Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 0]))
        state.report(WorkProgress(completedByteCount: 0, totalByteCount: nil, preview: ImagePreview(image, number: 1)))
        state.remove(1)
        state.report(bytes(30))
        state.end(throwing: nil)
        let isAdded = state.add(caller(3))
        #expect(!isAdded && state.callers.isEmpty)
        var log: [String] = []
        var call = state.firstCall()
        while let next = call {
            let isSecond = state.firstCall() != nil
            #expect(!isSecond, "one call at a time")
            switch next {
            case .progress(let progress, let callers): log.append("\(progress.completedByteCount) \(callers.map(\.id))")
            case .end(let callers, let error): log.append("end \(callers.map(\.id)) \(error != nil)")
            case .cancel: log.append("cancel")
            }
            call = state.nextCall()
        }
        #expect(log == ["10 [1, 2]", "20 [1, 2]", "20 [1, 2]", "end [1] true", "30 [2]", "end [2] false"])
    }
}

private func caller(_ id: Int) -> OperationCaller {
    OperationCaller(id: id, onProgress: { _ in }, following: LivePriority(.low).follow(LivePriority(.normal)))
}
