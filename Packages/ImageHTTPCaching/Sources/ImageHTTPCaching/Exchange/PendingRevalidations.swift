import Synchronization

/// The keys that are being revalidated in the background. Prevents concurrent revalidations of a key.
final class PendingRevalidations: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// Returns false if the key was already present.
    func insert(_ key: String) -> Bool { keys.withLock { $0.insert(key).inserted } }
    func remove(_ key: String) { keys.withLock { _ = $0.remove(key) } }
}
