public import ImageCore
import Synchronization

/// A cache of encoded bytes for tests: a dictionary that keeps the budget, logs what it was told, and fails or waits on demand.
///
/// The budget counts data and metadata. What was stored first goes first when space is needed.
public final class InMemoryDataCache: DataCache {
    /// One call, as it came.
    public enum Message: Hashable, Sendable {
        case entry(DataCacheKey)
        case store(DataCacheKey, bytes: Int)
        case remove(DataCacheKey)
        case removeAll
    }

    /// The port's methods, by name.
    public enum Operation: Hashable, Sendable, CaseIterable {
        case entry, store, remove, removeAll
    }

    private struct Fault {
        var failure: DataCacheFailure
        var times: Int
    }

    private struct State {
        var entries: [DataCacheKey: DataCacheEntry]
        /// The keys, the first stored first.
        var order: [DataCacheKey]
        var messages: [Message] = []
        var faults: [Operation: Fault] = [:]
        var gates: [Operation: Gate] = [:]

        var byteCount: Int { entries.values.reduce(0) { $0 + Self.size($1) } }

        static func size(_ entry: DataCacheEntry) -> Int { entry.data.count + entry.metadata.count }

        mutating func remove(_ key: DataCacheKey) {
            entries[key] = nil
            order.removeAll { $0 == key }
        }

        mutating func nextFailure(of operation: Operation) -> DataCacheFailure? {
            guard let fault = faults[operation], fault.times > 0 else { return nil }
            faults[operation]?.times -= 1
            return fault.failure
        }
    }

    private let byteLimit: Int
    private let state: Mutex<State>

    public init(byteLimit: Int = .max, entries: [DataCacheKey: DataCacheEntry] = [:]) {
        self.byteLimit = byteLimit
        state = Mutex(State(entries: entries, order: entries.keys.sorted { $0.source < $1.source }))
    }

    /// All calls so far, in order, those that failed included.
    public var messages: [Message] { state.withLock { $0.messages } }

    /// What is kept now. Looking here is not logged.
    public var entries: [DataCacheKey: DataCacheEntry] { state.withLock { $0.entries } }

    /// Lets the next calls of a method throw, as many as told; it does nothing else then. Replaces an earlier fault of that method.
    public func fail(_ operation: Operation, with failure: DataCacheFailure, times: Int = .max) {
        state.withLock { $0.faults[operation] = Fault(failure: failure, times: times) }
    }

    /// Ends all faults.
    public func recover() { state.withLock { $0.faults = [:] } }

    /// Holds the calls of a method, once logged, until they may pass the gate; nil lets them go straight on again.
    public func hold(_ operation: Operation, at gate: Gate?) { state.withLock { $0.gates[operation] = gate } }

    public func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        try await begin(.entry, .entry(key))
        return state.withLock { $0.entries[key] }
    }

    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        let size = State.size(entry)
        try await begin(.store, .store(key, bytes: entry.data.count))
        let isRefused = state.withLock { state in
            state.remove(key)
            guard size <= byteLimit else { return true }
            while state.byteCount > byteLimit - size { state.remove(state.order[0]) }
            state.entries[key] = entry
            state.order.append(key)
            return false
        }
        if isRefused { throw .tooLarge(bytes: size, allowed: byteLimit) }
    }

    public func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        try await begin(.remove, .remove(key))
        state.withLock { $0.remove(key) }
    }

    public func removeAll() async throws(DataCacheFailure) {
        try await begin(.removeAll, .removeAll)
        state.withLock { state in
            state.entries = [:]
            state.order = []
        }
    }

    /// Logs a call, waits where it is held, and throws where it is to fail.
    private func begin(_ operation: Operation, _ message: Message) async throws(DataCacheFailure) {
        let gate = state.withLock { state in
            state.messages.append(message)
            return state.gates[operation]
        }
        await gate?.pass()
        if let failure = state.withLock({ $0.nextFailure(of: operation) }) { throw failure }
    }
}
