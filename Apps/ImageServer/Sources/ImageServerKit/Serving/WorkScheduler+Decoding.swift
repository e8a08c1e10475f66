import ImageCore
import Synchronization

extension WorkScheduler {
    /// Runs synchronous CPU-bound work in the decode lane. `work` may call `isCancelled` on any thread.
    func runDecoding<Value: Sendable>(
        _ work: @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await run(in: .decode, host: nil, priority: LivePriority(.normal)) { try work { flag.isSet } }
        } onCancel: {
            flag.set()
        }
    }
}

private final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
