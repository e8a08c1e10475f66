public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Storage on disk for originals of `ImageOrigin.fetch`, by name or `ImageRequest.identity`, until they are reloaded.
public struct FetchedOriginals: Sendable {
    let cache: any DataCache
    let now: @Sendable () -> Date
    private let partition: String?

    /// - Parameters:
    ///   - cache: Stores the originals. It can be shared with HTTP responses, because their keys differ.
    ///   - partition: The account of these originals, if several accounts share the cache. It isolates them.
    ///   - now: Returns the current time.
    public init(cache: any DataCache, partition: String? = nil, now: @escaping @Sendable () -> Date) {
        self.cache = cache
        self.partition = partition
        self.now = now
    }

    func key(_ source: String) -> DataCacheKey {
        DataCacheKey(source: partition.map { "\($0.textWithLength) \(source)" } ?? source)
    }
}

extension ImageLoader {
    /// Returns the stored original, or nil if there is none or the request bypasses the disk cache.
    func fetchedOriginal(_ context: RequestContext) async -> Data? {
        do throws(CacheMiss) {
            guard let originals = configuration.fetchedOriginals else { throw .noCache }
            guard context.route.readsDisk else { throw .policy }
            // Nil if the cache failed, and an inner nil if there is no entry.
            let entry = await reportingFailure(context) { () async throws(DataCacheFailure) in
                try await originals.cache.entry(for: originals.key(context.original.source))
            }
            guard let entry else { throw .unreadable }
            guard let data = entry?.data else { throw .absent }
            context.send(.diskHit(bytes: data.count))
            return data
        } catch {
            context.send(.diskMiss(error))
            return nil
        }
    }

    /// Returns whether the original is stored, without sending events.
    func hasFetchedOriginal(_ request: ImageRequest) async -> Bool {
        guard let originals = configuration.fetchedOriginals else { return false }
        return (try? await originals.cache.entry(for: originals.key(cacheKey(for: request).source))) != nil
    }

    /// Stores the original, unless it was reloaded since the request started.
    func storeFetchedOriginal(_ result: DataJobResult, _ context: RequestContext) async {
        guard let originals = configuration.fetchedOriginals, context.route.disk.writes,
            context.isCurrent(result.generation)
        else { return }
        let entry = DataCacheEntry(data: result.loaded.data, createdAt: originals.now())
        let stored: Void? = await reportingFailure(context) { () async throws(DataCacheFailure) in
            try await originals.cache.store(entry, for: originals.key(context.original.source))
        }
        if !context.isCurrent(result.generation) {
            await removeFetchedOriginal(context)
        } else if stored != nil {
            context.send(.storedOnDisk(bytes: entry.data.count))
        }
    }

    func removeFetchedOriginal(_ context: RequestContext) async {
        guard let originals = configuration.fetchedOriginals else { return }
        _ = await reportingFailure(context) { () async throws(DataCacheFailure) in
            try await originals.cache.remove(for: originals.key(context.original.source))
        }
    }

    /// Returns the result of `body`. If the cache fails, sends an event and returns nil.
    private func reportingFailure<Value: Sendable>(
        _ context: RequestContext, _ body: () async throws(DataCacheFailure) -> Value
    ) async -> Value? {
        do throws(DataCacheFailure) {
            return try await body()
        } catch {
            context.send(.diskFailed(error))
            return nil
        }
    }
}
