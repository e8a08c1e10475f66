import ImageCore
import ImageTesting
import Testing

@Suite("RecordingCoalescer")
struct RecordingCoalescerTests {
    /// Shares nothing and cancels nothing.
    private final class Unshared: RequestCoalescer {
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

    @Test("it records calls, starts, changes of priority and ends in order, and forwards results, errors and progress")
    func messages() async throws {
        let coalescer = RecordingCoalescer(Unshared())
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
                .asked("a", 1, .low), .started("a"), .reprioritised(1, .high), .answered(1), .asked("b", 2, .normal),
                .started("b"), .failed(2), .closed,
            ])
    }
}
