import Foundation
import ImageCore
import ImageTesting
import Synchronization

/// A streaming fake that breaks one rule, which is the raw value of its defect.
struct BrokenStreamingDataCache: StreamingDataCache, DataCacheDouble {
    enum Defect: String {
        case showsPieces = "an entry that is written in pieces is found complete once it is finished, and not before"
        case dropsOlder = "the older entry is found until the new one is finished, and stays if that is cancelled"
        case finishesReleased = "a writer that is released before it is finished leaves the older entry"
        case keepsOlder = "an entry that outgrows the limit throws tooLarge each time, and removes the older one"
        case ignoresLimit = "the limit holds for entries that are written in pieces"
        case mixesWriters = "concurrent writers for one key leave the entry of the one that finishes last"
        case skipsFirstByte = "a reader returns any available part of the data, the metadata and the date"
        case opensAbsentEntries = "an absent entry has no reader"
        case readsCurrentEntry = "a reader keeps its bytes after the entry is replaced or removed"
        case overwritesReaders =
            "a reader keeps its bytes while a newer entry is written in pieces, and once it is finished"
    }

    let defect: Defect
    let byteLimit: Int
    let cache: InMemoryDataCache
    /// The bytes that writers have written over the entries of readers.
    private let overwritten = MessageLog<Data>()

    init(_ defect: Defect, byteLimit: Int) {
        self.defect = defect
        self.byteLimit = byteLimit
        cache = InMemoryDataCache(byteLimit: defect == .ignoresLimit ? .max : byteLimit)
    }

    func writer(
        for key: DataCacheKey, expectedByteCount: Int?
    ) async throws(DataCacheError) -> any DataCacheWriter {
        if defect == .dropsOlder { try await cache.remove(for: key) }
        return Writer(cache: self, key: key)
    }

    func reader(for key: DataCacheKey) async throws(DataCacheError) -> (any DataCacheReader)? {
        let nothing = DataCacheEntry(data: Data(), creationDate: .distantPast)
        guard let entry = try await cache.entry(for: key) ?? (defect == .opensAbsentEntries ? nothing : nil) else {
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

        func append(_ bytes: Data) async throws(DataCacheError) {
            let data = data.withLock { data in
                data += bytes
                return data
            }
            if cache.defect == .overwritesReaders { cache.overwritten.append(data) }
            if cache.defect == .showsPieces {
                try await cache.store(DataCacheEntry(data: data, creationDate: .distantPast), for: key)
            }
            if cache.defect == .keepsOlder, data.count > cache.byteLimit {
                throw .tooLarge(byteCount: data.count, byteLimit: cache.byteLimit)
            }
        }

        func finish(metadata: Data, creationDate: Date) async throws(DataCacheError) {
            if cache.defect == .mixesWriters, try await cache.entry(for: key) != nil { return }
            let data = data.withLock { $0 }
            try await cache.store(DataCacheEntry(data: data, metadata: metadata, creationDate: creationDate), for: key)
        }

        func cancel() async {}

        deinit {
            guard cache.defect == .finishesReleased else { return }
            let entry = DataCacheEntry(data: data.withLock { $0 }, creationDate: .distantPast)
            Task { [cache, key] in try await cache.store(entry, for: key) }
        }
    }

    private struct Reader: DataCacheReader {
        let cache: BrokenStreamingDataCache
        let key: DataCacheKey
        let entry: DataCacheEntry

        var byteCount: Int { entry.data.count }
        var metadata: Data { entry.metadata }
        var creationDate: Date { entry.creationDate }

        func bytes(in range: Range<Int>) async throws(DataCacheError) -> Data? {
            var entry = cache.defect == .readsCurrentEntry ? try await cache.entry(for: key) ?? entry : entry
            if let written = cache.overwritten.messages.last {
                entry.data = written + entry.data.dropFirst(written.count)
            }
            let offset = cache.defect == .skipsFirstByte ? 1 : 0
            return entry.data.dropFirst(range.lowerBound + offset).prefix(range.count)
        }
    }
}
