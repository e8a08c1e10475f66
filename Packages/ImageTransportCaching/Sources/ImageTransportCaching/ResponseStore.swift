import HTTPTypes
import ImageCore
import ImageHTTPCaching

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Responses in a cache of bytes: an index for each key, and each body under a key of its own.
///
/// A body is complete before its index names it. No failure leaves this type but by `report`: what can't be read is not there.
struct ResponseStore: Sendable {
    let cache: any DataCache
    let now: @Sendable () -> Date
    let report: @Sendable (DataCacheFailure) -> Void
    private let turns = KeyedTurns()

    init(
        cache: any DataCache, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (DataCacheFailure) -> Void
    ) {
        self.cache = cache
        self.now = now
        self.report = report
    }

    func index(_ key: String) async -> VariantIndex {
        let entry = await reporting { () async throws(DataCacheFailure) in
            try await cache.entry(for: DataCacheKey(source: key))
        }
        guard let data = entry??.data, let index = try? JSONDecoder().decode(VariantIndex.self, from: data) else {
            return VariantIndex()  // none, or of another version
        }
        return index
    }

    /// Puts a variant whose body is stored into its index.
    func insert(_ variant: VariantIndex.Variant, _ key: String, to request: HTTPFields) async {
        await change(key, storedBody: variant.bodyName) { $0.insert(variant, to: request, now: now()) }
    }

    /// Changes an index, one change of it after the other, and takes away the bodies that it does not name any more.
    func change(
        _ key: String, storedBody: String? = nil, _ body: @Sendable (inout VariantIndex) -> Void
    ) async {
        await turns.perform(key) {
            let before = await index(key)
            var after = before
            body(&after)
            if after != before { await write(after, key) }
            let names = Set(before.variants.map(\.bodyName) + [storedBody].compactMap(\.self))
            for name in names.subtracting(after.variants.map(\.bodyName)) { await removeBody(name, of: key) }
        }
    }

    /// Opens a body; nil when it is gone or damaged, and then its variant goes, too.
    func body(of variant: VariantIndex.Variant, _ key: String) async -> StoredBody? {
        let found = await reporting { () async throws(DataCacheFailure) in
            try await StoredBody(in: cache, bodyKey(variant.bodyName, of: key))
        }
        guard let found else { return nil }
        if found == nil { await change(key) { $0.remove(variant.bodyName) } }
        return found
    }

    /// Begins to store a body; nil when the cache takes none now.
    func writer(_ name: String, of key: String, expectedByteCount: Int?) async -> (any DataCacheWriter)? {
        let key = bodyKey(name, of: key)
        guard let streaming = cache as? any StreamingDataCache else { return CollectingWriter(cache, key) }
        return await reporting { () async throws(DataCacheFailure) in
            try await streaming.writer(for: key, expectedByteCount: expectedByteCount)
        }
    }

    /// Nil when the cache failed.
    func reporting<Value: Sendable>(_ body: () async throws(DataCacheFailure) -> Value) async -> Value? {
        do throws(DataCacheFailure) {
            return try await body()
        } catch {
            report(error)
            return nil
        }
    }

    private func write(_ index: VariantIndex, _ key: String) async {
        let key = DataCacheKey(source: key)
        let time = now()
        await reporting { () async throws(DataCacheFailure) in
            guard !index.isEmpty, let data = try? JSONEncoder().encode(index) else {
                return try await cache.remove(for: key)
            }
            try await cache.store(DataCacheEntry(data: data, createdAt: time), for: key)
        }
    }

    private func removeBody(_ name: String, of key: String) async {
        await reporting { () async throws(DataCacheFailure) in try await cache.remove(for: bodyKey(name, of: key)) }
    }

    private func bodyKey(_ name: String, of key: String) -> DataCacheKey { DataCacheKey(source: "\(key) \(name)") }
}
