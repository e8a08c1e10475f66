import ImageContractTesting
import ImageCore
import Synchronization

/// A store in memory that keeps the pieces that were written before a failure. Its defect breaks one rule.
final class InterruptedStore: ImageDataCache {
    /// The raw value is the rule.
    enum Defect: String {
        case writesInPlace = "a store that is interrupted anywhere leaves no part of an entry, and other entries stay"
        case clearsInPlace = "a removal that is interrupted anywhere leaves no part of an entry, and other entries stay"
        case staysBroken = "a cache works again after an interrupted store"
    }

    private struct State: Sendable {
        var entries: [DataCacheKey: DataCacheEntry] = [:]
        /// The number of writes before they fail.
        var writesLeft: Int?
        var hasFailed = false
    }

    private let defect: Defect?
    private let state = Mutex(State())

    /// - Parameter defect: Nil for a store that obeys the rules.
    init(_ defect: Defect?) { self.defect = defect }

    static func makeSubject(_ defect: Defect?) -> @Sendable () async throws -> DataCacheContract.Interruptible {
        {
            let store = InterruptedStore(defect)
            return DataCacheContract.Interruptible(open: { store }) { count in
                store.state.withLock { $0.writesLeft = count }
            }
        }
    }

    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        state.withLock { $0.entries[key] }
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        if defect == .staysBroken, state.withLock({ $0.hasFailed }) { throw .io("write") }
        var written = entry
        for end in stride(from: 0, through: entry.data.count, by: 10_000) {
            try write()
            written.data = entry.data.prefix(end)
            if defect == .writesInPlace { state.withLock { $0.entries[key] = written } }
        }
        state.withLock { $0.entries[key] = entry }
    }

    func remove(for key: DataCacheKey) async throws(DataCacheError) {
        try write()
        if defect == .clearsInPlace { state.withLock { $0.entries[key]?.data.removeAll() } }
        try write()
        state.withLock { $0.entries[key] = nil }
    }

    func removeAll() async throws(DataCacheError) { state.withLock { $0.entries = [:] } }

    /// Counts a write. Throws if it fails.
    private func write() throws(DataCacheError) {
        let fails = state.withLock { state in
            defer { state.writesLeft? -= 1 }
            state.hasFailed = state.hasFailed || state.writesLeft == 0
            return state.writesLeft.map { $0 <= 0 } ?? false
        }
        if fails { throw .io("write") }
    }
}
