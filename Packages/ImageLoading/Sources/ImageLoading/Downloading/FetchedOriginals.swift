public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Where originals of the application's own fetches (`ImageOrigin.fetch`) are stored on disk, under their name or the
/// request's `identity`. A stored original answers until a request reloads it.
public struct FetchedOriginals: Sendable {
    let cache: any DataCache
    let now: @Sendable () -> Date
    private let partition: String?

    /// - Parameters:
    ///   - cache: May also be used by others: no URL has a key of this form.
    ///   - partition: The account that these originals belong to, if one cache serves several. Accounts do not see each other's.
    ///   - now: The wall time.
    public init(cache: any DataCache, partition: String? = nil, now: @escaping @Sendable () -> Date) {
        self.cache = cache
        self.partition = partition
        self.now = now
    }

    func key(_ source: String) -> DataCacheKey {
        DataCacheKey(source: partition.map { "\($0.utf8.count):\($0) \(source)" } ?? source)
    }
}

extension ImageLoader {
    /// Nil if nothing is stored that may answer.
    func keptOriginal(_ context: RequestContext) async -> Data? {
        do throws(CacheMiss) {
            guard let originals = configuration.fetchedOriginals else { throw .noCache }
            guard context.route.readsDisk else { throw .policy }
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

    /// Sends no events.
    func hasKept(_ request: ImageRequest) async -> Bool {
        guard let originals = configuration.fetchedOriginals else { return false }
        return (try? await originals.cache.entry(for: originals.key(request.original.source))) != nil
    }

    /// Stores the original unless a reload has made it out of date.
    func keepOriginal(_ data: Data, _ context: RequestContext) async {
        guard let originals = configuration.fetchedOriginals, context.route.disk.writes, context.isCurrent else {
            return
        }
        let entry = DataCacheEntry(data: data, createdAt: originals.now())
        let stored: Void? = await reportingFailure(context) { () async throws(DataCacheFailure) in
            try await originals.cache.store(entry, for: originals.key(context.original.source))
        }
        if !context.isCurrent {
            await removeKeptOriginal(context)
        } else if stored != nil {
            context.send(.keptOnDisk(bytes: data.count))
        }
    }

    func removeKeptOriginal(_ context: RequestContext) async {
        guard let originals = configuration.fetchedOriginals else { return }
        _ = await reportingFailure(context) { () async throws(DataCacheFailure) in
            try await originals.cache.remove(for: originals.key(context.original.source))
        }
    }

    /// Sends an event and returns nil if the cache fails: the loader works without it.
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
