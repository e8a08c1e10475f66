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

        struct Place: SharedWorkPlace {
            func setPriority(_ priority: RequestPriority) {}
            func leave() {}
        }

        func join(
            _ key: String, as waiter: any SharedWorkWaiter<Int>, priority: RequestPriority,
            begin: SharedWorkBeginning<Int>
        ) -> any SharedWorkPlace {
            _ = begin(Work(priority: priority)) { rest in
                Task {
                    do { waiter.succeeded(with: try await rest()) } catch { waiter.failed(with: error) }
                }
            }
            return Place()
        }

        func close(throwing error: any Error) {}
    }

    @Test("keeps questions, starts, priorities and answers in order, and passes results and errors on")
    func log() async throws {
        let coalescer = RecordingCoalescer(Separate())
        let value = try await coalescer.value(for: "a", priority: .low, onJoin: { $0.setPriority(.high) }) { _ in 7 }
        #expect(value == 7)
        await #expect(throws: DecodingFailure.unknownFormat) {
            try await coalescer.value(for: "b", priority: .normal) { _ in throw DecodingFailure.unknownFormat }
        }
        #expect(
            coalescer.messages.filter { $0 != .answered(1) } == [
                .asked("a", 1, .low), .started("a"), .reprioritised(1, .high), .asked("b", 2, .normal), .started("b"),
                .failed(2),
            ])
        #expect(coalescer.messages.contains(.answered(1)))
    }
}
