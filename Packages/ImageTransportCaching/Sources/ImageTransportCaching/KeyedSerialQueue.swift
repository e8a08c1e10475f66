import Synchronization

/// Runs operations on the same key one after another, in order of arrival. Operations on different keys run
/// concurrently.
final class KeyedSerialQueue: Sendable {
    /// The waiting operations for each key in use.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    func perform(_ key: String, _ work: () async -> Void) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[key] == nil else {
                    waiting[key]?.append(continuation)
                    return false
                }
                waiting[key] = []
                return true
            }
            if isFree { continuation.resume() }
        }
        await work()
        next(key)?.resume()
    }

    private func next(_ key: String) -> CheckedContinuation<Void, Never>? {
        waiting.withLock { waiting in
            guard waiting[key]?.isEmpty == false else {
                waiting[key] = nil
                return nil
            }
            return waiting[key]?.removeFirst()
        }
    }
}

/// The keys that are being revalidated in the background. Prevents concurrent revalidations of a key.
final class PendingRevalidations: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// Returns false if the key was already present.
    func insert(_ key: String) -> Bool { keys.withLock { $0.insert(key).inserted } }
    func remove(_ key: String) { keys.withLock { _ = $0.remove(key) } }
}
