import Synchronization

/// Lets work on one key go on one after the other, in the order in which it came; work on different keys goes on at once.
final class KeyedTurns: Sendable {
    /// Who waits for each key that is taken.
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

/// Which keys are being asked about behind an answer: nobody asks twice at a time.
final class RevalidationRegister: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// False when it was there.
    func insert(_ key: String) -> Bool { keys.withLock { $0.insert(key).inserted } }
    func remove(_ key: String) { keys.withLock { _ = $0.remove(key) } }
}
