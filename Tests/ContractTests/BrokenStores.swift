import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting

/// Doubles that break the rules about reopening and sharing. The raw value of a defect is its rule.
enum ReopeningDefect: String {
    case losesEverything = "a cache that is opened later finds the entries with data, metadata and date"
    case restoresRemovedEntries = "a cache that is opened later finds no entry that was replaced or removed"
    case ignoresSmallerLimit = "a cache that is opened later with a smaller limit keeps it"
    case mixesEntries = "two open caches on one store find each other's entries complete"
    case copiesStore = "what one open cache stores, replaces or removes, another one finds or misses"

    func makeSubject() -> DataCacheContract.Reopening {
        let kept = InMemoryDataCache()
        return switch self {
        case .losesEverything, .copiesStore: { InMemoryDataCache(byteLimit: $0) }
        case .restoresRemovedEntries:
            { _ in HoardingCache(cache: InMemoryDataCache(entries: kept.entries), firstEntries: kept) }
        case .ignoresSmallerLimit: { _ in kept }
        case .mixesEntries: { _ in BrokenDataCache(.mixesEntries, byteLimit: .max) }
        }
    }
}

/// Doubles that break the rules about damage.
enum DamageDefect: String {
    case returnsDamagedEntries = "a damaged entry is a miss, and other entries stay"
    case keepsDamagedSpace = "a new entry can use the key and the space of a damaged one"

    func makeSubject(byteLimit: Int) -> DataCacheContract.Damageable {
        let cache = InMemoryDataCache(byteLimit: byteLimit)
        return DataCacheContract.Damageable(cache: cache) { [self] key in
            guard var entry = try await cache.entry(for: key) else { return }
            entry.data[0] ^= 1
            let isReturned = self == .returnsDamagedEntries
            if !isReturned { try await cache.remove(for: key) }
            try await cache.store(entry, for: isReturned ? key : DataCacheKey(identifier: "other"))
        }
    }
}

/// Doubles that break the rules about a full device.
enum FullStoreDefect: String {
    case throwsAnything = "a store on a full device throws noSpace, and existing entries are still found"
    case keepsOlderEntry = "a store that fails also removes the older entry for its key"
    case staysFull = "a cache accepts entries again once the device has space"

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

/// A double that breaks some calls, and forwards the others to a fake.
protocol DataCacheDouble: ImageDataCache {
    var cache: InMemoryDataCache { get }
}

extension DataCacheDouble {
    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        try await cache.entry(for: key)
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        try await cache.store(entry, for: key)
    }

    func remove(for key: DataCacheKey) async throws(DataCacheError) { try await cache.remove(for: key) }

    func removeAll() async throws(DataCacheError) { try await cache.removeAll() }
}

/// Keeps the first entry for each key in a second cache, even if it is replaced or removed.
private struct HoardingCache: DataCacheDouble {
    let cache: InMemoryDataCache
    let firstEntries: InMemoryDataCache

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        if try await firstEntries.entry(for: key) == nil { try await firstEntries.store(entry, for: key) }
        try await cache.store(entry, for: key)
    }
}

/// A cache that accesses its storage on the calling thread.
struct PoolBlockingDataCache: ImageDataCache {
    let cache: InMemoryDataCache
    let onAccess: @Sendable () -> Void

    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        onAccess()
        return try await cache.entry(for: key)
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        onAccess()
        try await cache.store(entry, for: key)
    }

    func remove(for key: DataCacheKey) async throws(DataCacheError) {
        onAccess()
        try await cache.remove(for: key)
    }

    func removeAll() async throws(DataCacheError) {
        onAccess()
        try await cache.removeAll()
    }
}
