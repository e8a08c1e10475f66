import Synchronization

/// Runs operations on the same key one after another, in order of arrival. Operations on different keys run
/// concurrently.
package final class KeyedSerialQueue: Sendable {
    /// The waiting operations for each key in use.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    package init() {}

    /// Whether no operation runs or waits.
    var isIdle: Bool { waiting.withLock(\.isEmpty) }

    /// Waits for the earlier operations on a key, and runs `work`.
    package func perform<Value, Failure: Error>(
        _ key: String, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await arrive(key)
        defer { next(key)?.resume() }
        return try await work()
    }

    private func arrive(_ key: String) async {
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
