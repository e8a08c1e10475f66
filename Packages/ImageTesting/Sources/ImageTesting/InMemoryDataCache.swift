public import ImageCore
import Synchronization

/// A data cache for tests. It respects a limit, logs its calls, and can fail or wait at gates.
///
/// The limit applies to data and metadata. The entry that was stored first is evicted first.
public final class InMemoryDataCache: ImageDataCache {
    /// A call of the cache.
    public enum Message: Hashable, Sendable {
        /// A lookup.
        case entry(DataCacheKey)
        /// A store, with the number of bytes of the data.
        case store(DataCacheKey, bytes: Int)
        /// A removal of one entry.
        case remove(DataCacheKey)
        /// A removal of all entries.
        case removeAll
    }

    /// The methods of the cache.
    public enum Operation: Hashable, Sendable, CaseIterable {
        /// The method of the same name.
        case entry, store, remove, removeAll
    }

    private struct Fault {
        var failure: DataCacheError
        var times: Int
    }

    private struct State {
        var entries: [DataCacheKey: DataCacheEntry]
        /// The keys in the order in which their entries were stored.
        var order: [DataCacheKey]
        var messages: [Message] = []
        var faults: [Operation: Fault] = [:]
        var gates: [Operation: TestGate] = [:]

        var byteCount: Int { entries.values.reduce(0) { $0 + Self.size($1) } }

        static func size(_ entry: DataCacheEntry) -> Int { entry.data.count + entry.metadata.count }

        mutating func remove(_ key: DataCacheKey) {
            entries[key] = nil
            order.removeAll { $0 == key }
        }

        mutating func nextFailure(of operation: Operation) -> DataCacheError? {
            guard let fault = faults[operation], fault.times > 0 else { return nil }
            faults[operation]?.times -= 1
            return fault.failure
        }
    }

    private let byteLimit: Int
    private let state: Mutex<State>

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - byteLimit: The largest total size of data and metadata, in bytes.
    ///   - entries: The initial entries.
    public init(byteLimit: Int = .max, entries: [DataCacheKey: DataCacheEntry] = [:]) {
        self.byteLimit = byteLimit
        state = Mutex(State(entries: entries, order: entries.keys.sorted { $0.identifier < $1.identifier }))
    }

    /// All calls so far, in order, including failed ones.
    public var messages: [Message] { state.withLock { $0.messages } }

    /// The current entries. Reading them is not logged.
    public var entries: [DataCacheKey: DataCacheEntry] { state.withLock { $0.entries } }

    /// Makes the next `times` calls of a method throw without another effect. Replaces an earlier fault of the method.
    public func fail(_ operation: Operation, with failure: DataCacheError, times: Int = .max) {
        state.withLock { $0.faults[operation] = Fault(failure: failure, times: times) }
    }

    /// Removes all faults.
    public func recover() { state.withLock { $0.faults = [:] } }

    /// Makes the calls of a method wait at a gate after they are logged, or stops that if the gate is nil.
    public func hold(_ operation: Operation, at gate: TestGate?) { state.withLock { $0.gates[operation] = gate } }

    public func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        try await begin(.entry, .entry(key))
        return state.withLock { $0.entries[key] }
    }

    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        let size = State.size(entry)
        try await begin(.store, .store(key, bytes: entry.data.count))
        let isTooLarge = state.withLock { state in
            state.remove(key)
            guard size <= byteLimit else { return true }
            while state.byteCount > byteLimit - size { state.remove(state.order[0]) }
            state.entries[key] = entry
            state.order.append(key)
            return false
        }
        if isTooLarge { throw .tooLarge(byteCount: size, byteLimit: byteLimit) }
    }

    public func remove(for key: DataCacheKey) async throws(DataCacheError) {
        try await begin(.remove, .remove(key))
        state.withLock { $0.remove(key) }
    }

    public func removeAll() async throws(DataCacheError) {
        try await begin(.removeAll, .removeAll)
        state.withLock { state in
            state.entries = [:]
            state.order = []
        }
    }

    /// Logs a call, waits at the gate of its method, and throws the injected failure.
    private func begin(_ operation: Operation, _ message: Message) async throws(DataCacheError) {
        let gate = state.withLock { state in
            state.messages.append(message)
            return state.gates[operation]
        }
        await gate?.pass()
        if let failure = state.withLock({ $0.nextFailure(of: operation) }) { throw failure }
    }
}
