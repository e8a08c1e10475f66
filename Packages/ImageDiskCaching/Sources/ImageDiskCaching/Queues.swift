import Dispatch
import ImageCore
import Synchronization

/// Runs work one at a time on a serial dispatch queue, outside of Swift's concurrency pool.
struct WorkQueue: Sendable {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label) }

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(DataCacheFailure) -> Value {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { try work() }) }
        }
        return try result.mapError { DataCacheFailure($0) }.get()
    }

    /// Runs work on the queue and returns without waiting for it.
    func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}

/// Runs all changes of the folder on one queue, one at a time.
final class StoreQueue: Sendable {
    private let queue = WorkQueue("DiskDataCache.writer")
    /// Locked only on the queue, so no thread waits for it.
    private let store: Mutex<EntryStore>

    init(_ store: consuming sending EntryStore) { self.store = Mutex(store) }

    func change<Value: Sendable>(
        _ work: @escaping @Sendable (inout EntryStore) throws -> Value
    ) async throws(DataCacheFailure) -> Value {
        try await queue.run { try self.store.withLock { try work(&$0) } }
    }

    /// Makes a change after the current ones, without waiting for it.
    func changeLater(_ work: @escaping @Sendable (inout EntryStore) throws -> Void) {
        // The next operation that needs this work tries again and throws the error.
        queue.async { try? self.store.withLock { try work(&$0) } }
    }
}
