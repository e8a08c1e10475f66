import ImageCore
import Synchronization

/// Runs all changes of the folder on one queue, one at a time.
final class ChangeQueue: Sendable {
    private let queue = WorkQueue("DiskDataCache.writer")
    /// Locked only on the queue, so no thread waits for it.
    private let editor: Mutex<FolderEditor>

    init(_ editor: consuming sending FolderEditor) { self.editor = Mutex(editor) }

    /// The cache and all its writers are released, and all changes are made.
    deinit { editor.withLock { $0.usage.close() } }

    func make<Value: Sendable>(
        _ work: @escaping @Sendable (inout FolderEditor) throws -> Value
    ) async throws(DataCacheError) -> Value {
        try await queue.run { try self.editor.withLock { try work(&$0) } }
    }

    /// Makes a change after the current ones, without waiting for it.
    func makeLater(_ work: @escaping @Sendable (inout FolderEditor) throws -> Void) {
        // The next operation that needs this work tries again and throws the error.
        queue.async { try? self.editor.withLock { try work(&$0) } }
    }
}
