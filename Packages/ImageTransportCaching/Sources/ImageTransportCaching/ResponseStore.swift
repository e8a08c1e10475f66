import HTTPTypes
import ImageCore
import ImageHTTPCaching

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a URL and an identity share.
struct ResponseKey: Hashable, Sendable {
    let text: String
    /// The URL that was asked for, to tell failures of.
    let url: URL

    /// Where the index is.
    fileprivate var index: DataCacheKey { DataCacheKey(source: text) }

    fileprivate func body(_ name: String) -> DataCacheKey { DataCacheKey(source: "\(text) \(name)") }
}

/// Responses in a cache of bytes: an index for each key, and each body under a key of its own.
///
/// A body is complete before its index names it. No failure leaves this type but by `report`: what can't be read is not there.
struct ResponseStore: Sendable {
    let now: @Sendable () -> Date
    private let cache: any DataCache
    private let report: @Sendable (URL, DataCacheFailure) -> Void
    private let turns = KeyedTurns()

    init(
        cache: any DataCache, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (URL, DataCacheFailure) -> Void
    ) {
        self.cache = cache
        self.now = now
        self.report = report
    }

    func index(_ key: ResponseKey) async -> VariantIndex { await readableIndex(key) ?? VariantIndex() }

    /// Nil when the cache failed.
    func readableIndex(_ key: ResponseKey) async -> VariantIndex? {
        let entry = await reporting(key) { () async throws(DataCacheFailure) in
            try await cache.entry(for: key.index)
        }
        guard let entry else { return nil }
        guard let data = entry?.data, let index = try? JSONDecoder().decode(VariantIndex.self, from: data) else {
            return VariantIndex()  // none, or of another version
        }
        return index
    }

    /// Puts a variant whose body is stored into its index.
    func insert(_ variant: VariantIndex.Variant, _ key: ResponseKey, to request: HTTPFields) async {
        await change(key, storedBody: variant.bodyName) { $0.insert(variant, to: request, now: now()) }
    }

    /// Changes an index, one change of it after the other, and takes away the bodies that it does not name any more.
    func change(
        _ key: ResponseKey, storedBody: String? = nil, _ body: @Sendable (inout VariantIndex) -> Void
    ) async {
        await turns.perform(key.text) {
            let before = await index(key)
            var after = before
            body(&after)
            if after != before { await write(after, key) }
            let names = Set(before.variants.map(\.bodyName) + [storedBody].compactMap(\.self))
            for name in names.subtracting(after.variants.map(\.bodyName)) { await removeBody(name, of: key) }
        }
    }

    /// Opens a body; nil when it is gone or damaged, and then its variant goes, too.
    func body(of variant: VariantIndex.Variant, _ key: ResponseKey) async -> StoredBody? {
        let found = await reporting(key) { () async throws(DataCacheFailure) in
            try await StoredBody(in: cache, key.body(variant.bodyName))
        }
        guard let found else { return nil }
        if found == nil { await change(key) { $0.remove(variant.bodyName) } }
        return found
    }

    /// Begins to store a body; nil when the cache takes none now.
    func writer(_ name: String, of key: ResponseKey, expectedByteCount: Int?) async -> (any DataCacheWriter)? {
        guard let streaming = cache as? any StreamingDataCache else { return CollectingWriter(cache, key.body(name)) }
        return await reporting(key) { () async throws(DataCacheFailure) in
            try await streaming.writer(for: key.body(name), expectedByteCount: expectedByteCount)
        }
    }

    /// Nil when the cache failed.
    func reporting<Value: Sendable>(
        _ key: ResponseKey, _ body: () async throws(DataCacheFailure) -> Value
    ) async -> Value? {
        do throws(DataCacheFailure) {
            return try await body()
        } catch {
            report(key.url, error)
            return nil
        }
    }

    private func write(_ index: VariantIndex, _ key: ResponseKey) async {
        let time = now()
        await reporting(key) { () async throws(DataCacheFailure) in
            guard !index.isEmpty, let data = try? JSONEncoder().encode(index) else {
                return try await cache.remove(for: key.index)
            }
            try await cache.store(DataCacheEntry(data: data, createdAt: time), for: key.index)
        }
    }

    private func removeBody(_ name: String, of key: ResponseKey) async {
        await reporting(key) { () async throws(DataCacheFailure) in try await cache.remove(for: key.body(name)) }
    }
}
