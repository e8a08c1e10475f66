import ImageCore
import Synchronization

/// Runs all changes of the folder on one queue, one at a time.
final class ChangeQueue: Sendable {
    private let queue = WorkQueue("DiskDataCache.writer")
    /// Locked only on the queue, so no thread waits for it.
    private let store: Mutex<EntryStore>

    init(_ store: consuming sending EntryStore) { self.store = Mutex(store) }

    /// The cache and all its writers are released, and all changes are made.
    deinit { store.withLock { $0.usage.close() } }

    func make<Value: Sendable>(
        _ work: @escaping @Sendable (inout EntryStore) throws -> Value
    ) async throws(DataCacheError) -> Value {
        try await queue.run { try self.store.withLock { try work(&$0) } }
    }

    /// Makes a change after the current ones, without waiting for it.
    func makeLater(_ work: @escaping @Sendable (inout EntryStore) throws -> Void) {
        // The next operation that needs this work tries again and throws the error.
        queue.async { try? self.store.withLock { try work(&$0) } }
    }
}
