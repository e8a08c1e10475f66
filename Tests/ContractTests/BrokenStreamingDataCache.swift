import Foundation
import ImageCore
import ImageTesting
import Synchronization

/// The fake with streaming, but for one promise that it breaks: the one that its defect names.
struct BrokenStreamingDataCache: StreamingDataCache {
    enum Defect: String {
        case showsPieces = "what came in pieces is found whole once it is finished, and not before"
        case dropsOlder = "the older entry is served until the new one is finished, or for good if it is cancelled"
        case keepsOlder = "what outgrows the budget throws tooLarge, each time, and takes the older entry with it"
        case ignoresLimit = "the budget holds, whatever comes in pieces"
        case mixesWriters = "two that write under one key at once leave the entry of the one that finished last"
        case countsFromOne = "a reader gives any part of the data, as far as there is any, and the rest of the entry"
        case opensNothing = "there is no reader of what is absent"
        case readsAnew = "a reader keeps its bytes while the entry is replaced, and while it is removed"
    }

    let defect: Defect
    let byteLimit: Int
    private let cache: InMemoryDataCache

    init(_ defect: Defect, byteLimit: Int) {
        self.defect = defect
        self.byteLimit = byteLimit
        cache = InMemoryDataCache(byteLimit: defect == .ignoresLimit ? .max : byteLimit)
    }

    func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        try await cache.entry(for: key)
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        try await cache.store(entry, for: key)
    }

    func remove(for key: DataCacheKey) async throws(DataCacheFailure) { try await cache.remove(for: key) }

    func removeAll() async throws(DataCacheFailure) { try await cache.removeAll() }

    func writer(
        for key: DataCacheKey, expectedByteCount: Int?
    ) async throws(DataCacheFailure) -> any DataCacheWriter {
        if defect == .dropsOlder { try await cache.remove(for: key) }
        return Writer(cache: self, key: key)
    }

    func reader(for key: DataCacheKey) async throws(DataCacheFailure) -> (any DataCacheReader)? {
        let nothing = DataCacheEntry(data: Data(), createdAt: .distantPast)
        guard let entry = try await cache.entry(for: key) ?? (defect == .opensNothing ? nothing : nil) else {
            return nil
        }
        return Reader(cache: self, key: key, entry: entry)
    }

    private final class Writer: DataCacheWriter {
        private let cache: BrokenStreamingDataCache
        private let key: DataCacheKey
        private let data = Mutex(Data())

        init(cache: BrokenStreamingDataCache, key: DataCacheKey) {
            self.cache = cache
            self.key = key
        }

        func append(_ bytes: Data) async throws(DataCacheFailure) {
            let data = data.withLock { data in
                data += bytes
                return data
            }
            if cache.defect == .showsPieces {
                try await cache.store(DataCacheEntry(data: data, createdAt: .distantPast), for: key)
            }
            if cache.defect == .keepsOlder, data.count > cache.byteLimit {
                throw .tooLarge(bytes: data.count, allowed: cache.byteLimit)
            }
        }

        func finish(metadata: Data, createdAt: Date) async throws(DataCacheFailure) {
            if cache.defect == .mixesWriters, try await cache.entry(for: key) != nil { return }
            let data = data.withLock { $0 }
            try await cache.store(DataCacheEntry(data: data, metadata: metadata, createdAt: createdAt), for: key)
        }

        func cancel() async {}
    }

    private struct Reader: DataCacheReader {
        let cache: BrokenStreamingDataCache
        let key: DataCacheKey
        let entry: DataCacheEntry

        var byteCount: Int { entry.data.count }
        var metadata: Data { entry.metadata }
        var createdAt: Date { entry.createdAt }

        func bytes(in range: Range<Int>) async throws(DataCacheFailure) -> Data? {
            let entry = cache.defect == .readsAnew ? try await cache.entry(for: key) ?? entry : entry
            let offset = cache.defect == .countsFromOne ? 1 : 0
            return entry.data.dropFirst(range.lowerBound + offset).prefix(range.count)
        }
    }
}
