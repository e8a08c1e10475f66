import ImageCore
import ImageTesting
import Testing

@Suite("Recording coalescer")
struct RecordingCoalescerTests {
    /// Shares nothing: each waiter's work is its own.
    private struct Separate: RequestCoalescer {
        struct Work: SharedWork {
            let priority: RequestPriority
            func onPriorityChange(_ handler: @escaping @Sendable (RequestPriority) -> Void) { handler(priority) }
            func report(_ progress: WorkProgress) {}
        }

        func join(
            _ key: String, as waiter: WaiterID, priority: RequestPriority,
            onProgress: @escaping @Sendable (WorkProgress) -> Void,
            onAnswer: @escaping @Sendable (Result<Int, any Error>) -> Void, begin: @escaping SharedWorkBeginning<Int>
        ) -> @Sendable () -> Void {
            begin(Work(priority: priority)) { rest in
                Task {
                    do { onAnswer(.success(try await rest())) } catch { onAnswer(.failure(error)) }
                }
            }
        }

        func setPriority(_ priority: RequestPriority, of waiter: WaiterID) {}
        func close(throwing error: any Error) {}
    }

    @Test("keeps questions, starts, priorities and answers in order, and passes results and errors on")
    func log() async throws {
        let coalescer = RecordingCoalescer(Separate())
        let (first, second) = (WaiterID(rawValue: 1), WaiterID(rawValue: 2))
        let value = try await coalescer.value(for: "a", waiter: first, priority: .low, onProgress: { _ in }) { _ in 7 }
        #expect(value == 7)
        coalescer.setPriority(.high, of: second)
        await #expect(throws: DecodingFailure.unknownFormat) {
            try await coalescer.value(for: "b", waiter: second, priority: .normal, onProgress: { _ in }) { _ in
                throw DecodingFailure.unknownFormat
            }
        }
        #expect(
            coalescer.messages == [
                .asked("a", first, .low), .started("a"), .answered(first), .reprioritised(second, .high),
                .asked("b", second, .normal), .started("b"), .failed(second),
            ])
    }
}
