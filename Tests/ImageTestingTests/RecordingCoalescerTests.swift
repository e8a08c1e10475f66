import ImageCore
import ImageTesting
import Testing

@Suite("RecordingCoalescer")
struct RecordingCoalescerTests {
    /// A coalescer that neither shares nor cancels operations.
    private final class UnsharedCoalescer: RequestCoalescer {
        final class Operation: SharedOperation {
            let priority: LivePriority

            init(_ priority: LivePriority) { self.priority = priority }

            func report(_ progress: WorkProgress) {}
        }

        func value(
            for key: String, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
            operation: @escaping @Sendable (any SharedOperation) async throws -> Int
        ) async throws -> Int {
            onProgress(WorkProgress(completedBytes: 1, totalBytes: nil))
            return try await operation(Operation(priority))
        }

        func close(throwing error: any Error) {}
    }

    @Test(
        "calls, starts, priority changes and results are logged in order, and values, errors and progress are forwarded"
    )
    func messages() async throws {
        let coalescer = RecordingCoalescer(UnsharedCoalescer())
        let (priority, progress) = (LivePriority(.low), MessageLog<WorkProgress>())
        let value = try await coalescer.value(for: "a", priority: priority, onProgress: { progress.append($0) }) {
            #expect($0.priority === priority)
            priority.set(.high)
            return 7
        }
        priority.set(.veryLow)
        #expect(value == 7 && progress.messages == [WorkProgress(completedBytes: 1, totalBytes: nil)])
        await #expect(throws: DecodingFailure.unknownFormat) {
            try await coalescer.value(for: "b", priority: LivePriority(.normal), onProgress: { _ in }) { _ in
                throw DecodingFailure.unknownFormat
            }
        }
        coalescer.close(throwing: ImageError.offline)
        #expect(
            coalescer.messages == [
                .called("a", 1, .low), .started("a"), .reprioritized(1, .high), .succeeded(1), .called("b", 2, .normal),
                .started("b"), .failed(2), .closed,
            ])
    }
}
