import Synchronization

extension WorkScheduler {
    /// Runs synchronous CPU-bound work in the decode lane.
    ///
    /// - Parameters:
    ///   - priority: The priority while the work waits. It can change.
    ///   - work: Can call `isCancelled` on any thread. It returns true once the calling task is cancelled.
    /// - Throws: The error of `work`, or `CancellationError` if the task is cancelled before `work` starts.
    public func runDecoding<Value: Sendable>(
        priority: LivePriority, _ work: @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await run(in: .decode, server: nil, priority: priority) {
                try work { flag.isSet.load(ordering: .relaxed) }
            }
        } onCancel: {
            flag.isSet.store(true, ordering: .relaxed)
        }
    }
}

private final class CancellationFlag: Sendable {
    let isSet = Atomic(false)
}
