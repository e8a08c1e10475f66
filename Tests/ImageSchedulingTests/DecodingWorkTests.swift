import ImageCore
import ImageScheduling
import Testing

@Suite("Decoding in a scheduler's lane")
struct DecodingWorkTests {
    @Test("running work learns that its task was cancelled")
    func cancellation() async throws {
        let states = try await Task {
            try await PriorityScheduler(lanes: [:]).runDecoding(priority: LivePriority(.normal)) { isCancelled in
                let before = isCancelled()
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return [before, isCancelled()]
            }
        }.value
        #expect(states == [false, true])
    }
}
