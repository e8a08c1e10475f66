import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting

/// Doubles that break the optional rules, each named by the rule.
enum ReopeningDefect: String {
    case forgetsEverything = "entries outlive the cache, with data, metadata and date"
    case revivesTheRemoved = "what was replaced or removed does not come back with a later cache"
    case ignoresSmallerLimit = "a later cache with a smaller budget keeps within it"
    case mixesEntries = "two caches on one store at once see each other's entries whole"

    func makeSubject() -> DataCacheContract.Reopening {
        let kept = InMemoryDataCache()
        return switch self {
        case .forgetsEverything: { InMemoryDataCache(byteLimit: $0) }
        case .revivesTheRemoved: { _ in Hoarder(cache: InMemoryDataCache(entries: kept.entries), hoard: kept) }
        case .ignoresSmallerLimit: { _ in kept }
        case .mixesEntries: { _ in BrokenDataCache(.mixesEntries, byteLimit: .max) }
        }
    }
}

enum DamageDefect: String {
    case servesDamage = "a damaged entry is a miss, and its neighbours stay"
    case keepsDamagedSpace = "a damaged entry gives its key and its space to a new one"

    func makeSubject(byteLimit: Int) -> DataCacheContract.Damageable {
        let cache = InMemoryDataCache(byteLimit: byteLimit)
        return DataCacheContract.Damageable(cache: cache) { [self] key in
            guard var entry = try await cache.entry(for: key) else { return }
            entry.data[0] ^= 1
            let isServed = self == .servesDamage
            if !isServed { try await cache.remove(for: key) }
            try await cache.store(entry, for: isServed ? key : DataCacheKey(source: "rubbish"))
        }
    }
}

enum FullStoreDefect: String {
    case throwsAnything = "on a full device a store throws noSpace, and what is there is served"
    case servesStale = "a store that fails does not leave the older entry under its key"
    case staysFull = "a cache takes entries again once there is space on the device"

    func makeSubject(byteLimit: Int) -> DataCacheContract.Fillable {
        let cache = InMemoryDataCache(byteLimit: byteLimit)
        return DataCacheContract.Fillable(cache: cache) { [self] isFull in
            if isFull {
                cache.fail(.store, with: self == .throwsAnything ? .io("write") : .noSpace)
            } else if self != .staysFull {
                cache.recover()
            }
        }
    }
}

/// Keeps what was stored first, whatever is done to it later.
private struct Hoarder: DataCache {
    let cache: InMemoryDataCache
    let hoard: InMemoryDataCache

    func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        try await cache.entry(for: key)
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        if try await hoard.entry(for: key) == nil { try await hoard.store(entry, for: key) }
        try await cache.store(entry, for: key)
    }

    func remove(for key: DataCacheKey) async throws(DataCacheFailure) { try await cache.remove(for: key) }

    func removeAll() async throws(DataCacheFailure) { try await cache.removeAll() }
}

/// Touches its store on whatever thread it is called.
struct PoolBlockingDataCache: DataCache {
    let cache: InMemoryDataCache
    let onAccess: @Sendable () -> Void

    func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        onAccess()
        return try await cache.entry(for: key)
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        onAccess()
        try await cache.store(entry, for: key)
    }

    func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        onAccess()
        try await cache.remove(for: key)
    }

    func removeAll() async throws(DataCacheFailure) {
        onAccess()
        try await cache.removeAll()
    }
}
