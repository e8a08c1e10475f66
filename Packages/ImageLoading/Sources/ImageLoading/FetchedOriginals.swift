public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Where originals that requests bring with a fetch of their own (`ImageOrigin.fetch`) are kept on disk: under the name that stands for them, or the
/// request's `identity`. They are as fresh as their names: only a reload fetches anew what is kept.
public struct FetchedOriginals: Sendable {
    let cache: any DataCache
    let now: @Sendable () -> Date
    private let partition: String?

    /// - Parameters:
    ///   - cache: may serve others, too: no URL has such a key.
    ///   - partition: whose these are, where a cache serves several; none sees another's.
    ///   - now: the wall time.
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
    /// Nil when it is not to be had.
    func keptOriginal(_ load: Load) async -> Data? {
        do throws(CacheMiss) {
            guard let originals = configuration.fetchedOriginals else { throw .noCache }
            guard load.route.readsDisk else { throw .policy }
            let entry = await reporting(load) { () async throws(DataCacheFailure) in
                try await originals.cache.entry(for: originals.key(load.original.source))
            }
            guard let entry else { throw .unreadable }
            guard let data = entry?.data else { throw .absent }
            load.send(.diskHit(bytes: data.count))
            return data
        } catch {
            load.send(.diskMiss(error))
            return nil
        }
    }

    /// True when there is something that would be taken. No event tells of the look.
    func hasKept(_ request: ImageRequest, _ route: FetchRoute) async -> Bool {
        guard route.readsDisk, let originals = configuration.fetchedOriginals else { return false }
        return (try? await originals.cache.entry(for: originals.key(request.original.source))) != nil
    }

    /// Keeps it unless a reload has brought a newer one, before or meanwhile.
    func keepOriginal(_ data: Data, _ load: Load) async {
        guard let originals = configuration.fetchedOriginals, load.route.disk.writes, isCurrent(load) else { return }
        let entry = DataCacheEntry(data: data, createdAt: originals.now())
        let isKept: Void? = await reporting(load) { () async throws(DataCacheFailure) in
            try await originals.cache.store(entry, for: originals.key(load.original.source))
        }
        if !isCurrent(load) {
            await forgetOriginal(load)
        } else if isKept != nil {
            load.tell(.keptOnDisk(bytes: data.count))
        }
    }

    func forgetOriginal(_ load: Load) async {
        guard let originals = configuration.fetchedOriginals else { return }
        _ = await reporting(load) { () async throws(DataCacheFailure) in
            try await originals.cache.remove(for: originals.key(load.original.source))
        }
    }

    /// Nil when the cache failed, which is told, and survived.
    private func reporting<Value: Sendable>(
        _ load: Load, _ body: () async throws(DataCacheFailure) -> Value
    ) async -> Value? {
        do throws(DataCacheFailure) {
            return try await body()
        } catch {
            load.tell(.diskFailed(error))
            return nil
        }
    }
}
