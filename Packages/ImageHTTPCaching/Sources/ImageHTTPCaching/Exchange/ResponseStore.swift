import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization

/// Identifies the stored responses of a URL and an identity.
struct ResponseKey: Hashable, Sendable {
    let text: String
    /// The URL of the request, for reporting failures.
    let url: URL
    /// The address without credentials; nil if the text doesn't depend on any.
    let publicAddress: String?
}

/// The keys of the entries of a URL and an identity.
private struct EntryKeys: Sendable {
    let text: String

    var index: DataCacheKey { DataCacheKey(identifier: text) }

    func body(_ name: String) -> DataCacheKey { DataCacheKey(identifier: "\(text) \(name)") }
}

/// Stores responses in a data cache: an index for each key, and each body as a separate entry.
///
/// A body is complete before the index refers to it. Entries that can't be read count as missing. What isn't stored
/// within two seconds, by the clock, is stored without the caller.
struct ResponseStore: Sendable {
    let now: @Sendable () -> Date
    private let cache: any ImageDataCache
    private let timeout: StoreTimeout
    private let names: EntryNames
    private let report: @Sendable (URL, DataCacheError) -> Void
    private let queue = KeyedSerialQueue()
    /// When the latest requests were sent whose responses must not be stored. They leave no trace in the cache.
    private let refused = LatestTimes()

    init(
        cache: any ImageDataCache, clock: (any Clock<Duration>)?, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (URL, DataCacheError) -> Void
    ) {
        self.cache = cache
        timeout = StoreTimeout(clock: clock)
        names = EntryNames(cache)
        self.now = now
        self.report = report
    }

    func index(_ key: ResponseKey) async -> VariantIndex { await readableIndex(key) ?? VariantIndex() }

    /// Returns nil if the cache fails. Starts to remove an index from another version, which can contain credentials.
    func readableIndex(_ key: ResponseKey) async -> VariantIndex? {
        let entry = await reporting(key) { () async throws(DataCacheError) in
            guard let keys = try await keys(key) else { return nil as DataCacheEntry? }
            return try await cache.entry(for: keys.index)
        }
        guard let entry else { return nil }
        guard let data = entry?.data else { return VariantIndex() }
        if let index = try? JSONDecoder().decode(VariantIndex.self, from: data) { return index }
        _ = await inTime(key) { await write(VariantIndex(), key) }
        return VariantIndex()
    }

    /// Returns the keys of entries. Returns nil if they need a key that the cache doesn't have, unless it is created.
    private func keys(_ key: ResponseKey, creating: Bool = false) async throws(DataCacheError) -> EntryKeys? {
        guard let address = key.publicAddress else { return EntryKeys(text: key.text) }
        return try await names.name(for: key.text, creationTime: creating ? now() : nil)
            .map { EntryKeys(text: "\(address) \($0)") }
    }

    /// Runs an operation that stores something. Returns nil, and reports it, if it takes too long.
    func inTime<Value: Sendable>(_ key: ResponseKey, _ store: @escaping @Sendable () async -> Value) async -> Value? {
        let result = await timeout.result(of: store)
        if result == nil { report(key.url, StoreTimeout.failure) }
        return result
    }

    /// Adds a variant, whose body must be stored already, to the index. Returns whether the index has it.
    @discardableResult
    func insert(_ variant: VariantIndex.Variant, _ key: ResponseKey, to request: HTTPFields) async -> Bool {
        let index = await write(key, storedBody: variant.bodyName) { index in
            let now = now()
            if let time = refused[key.text], variant.response.requestTime < time, time <= now { return }
            index.insert(variant, to: request, now: now)
        }
        return index?.variants.contains(variant) ?? false
    }

    /// Removes the responses before a newer one, to a request sent at `time`, that must not be stored.
    func refuse(_ key: ResponseKey, to request: HTTPFields, sentAt time: Date) async {
        refused.note(time, for: key.text)
        await change(key) { $0.remove(selectedBy: request, invalidatedAt: time, now: now()) }
    }

    /// Removes all responses of a key, and doesn't store those to requests that were sent before.
    func removeAll(_ key: ResponseKey) async {
        refused.note(now(), for: key.text)
        await change(key) { $0.removeAll(invalidatedAt: nil) }
    }

    /// Changes an index, and removes the bodies that it no longer refers to.
    func change(_ key: ResponseKey, _ body: @escaping @Sendable (inout VariantIndex) -> Void) async {
        _ = await inTime(key) { await write(key, body) }
    }

    /// Changes an index. Changes of an index run one after another.
    ///
    /// - Parameter storedBody: The name of a new body, which is removed unless the changed index refers to it.
    /// - Returns: The changed index, or nil if it can't be written.
    private func write(
        _ key: ResponseKey, storedBody: String? = nil, _ body: @Sendable (inout VariantIndex) -> Void
    ) async -> VariantIndex? {
        await queue.perform(key.text) {
            let before = await index(key)
            var after = before
            body(&after)
            let isWritten = after == before ? true : await write(after, key)
            let names = Set(before.variants.map(\.bodyName) + [storedBody].compactMap(\.self))
            for name in names.subtracting(after.variants.map(\.bodyName)) { await removeBody(name, of: key) }
            return isWritten ? after : nil
        }
    }

    /// Opens a body. Returns nil if it is missing or damaged, and then removes its variant.
    func body(of variant: VariantIndex.Variant, _ key: ResponseKey) async -> StoredBody? {
        let found = await reporting(key) { () async throws(DataCacheError) in
            guard let keys = try await keys(key) else { return nil as StoredBody? }
            return try await StoredBody(in: cache, keys.body(variant.bodyName))
        }
        guard let found else { return nil }
        if found == nil { await change(key) { $0.remove(variant.bodyName) } }
        return found
    }

    /// Starts to store a body. Returns nil if the cache fails.
    func writer(_ name: String, of key: ResponseKey, expectedByteCount: Int?) async -> (any DataCacheWriter)? {
        await reporting(key) { () async throws(DataCacheError) in
            guard let keys = try await keys(key, creating: true) else { return nil as (any DataCacheWriter)? }
            guard let streaming = cache as? any StreamingDataCache else {
                return CollectingWriter(cache, keys.body(name))
            }
            return try await streaming.writer(for: keys.body(name), expectedByteCount: expectedByteCount)
        } ?? nil
    }

    /// Returns nil if the cache fails.
    func reporting<Value: Sendable>(
        _ key: ResponseKey, _ body: () async throws(DataCacheError) -> Value
    ) async -> Value? {
        do throws(DataCacheError) {
            return try await body()
        } catch {
            report(key.url, error)
            return nil
        }
    }

    private func write(_ index: VariantIndex, _ key: ResponseKey) async -> Bool {
        let time = now()
        return await reporting(key) { () async throws(DataCacheError) in
            guard let keys = try await keys(key, creating: !index.isEmpty) else { return }
            guard !index.isEmpty, let data = try? JSONEncoder().encode(index) else {
                return try await cache.remove(for: keys.index)
            }
            try await cache.store(DataCacheEntry(data: data, creationDate: time), for: keys.index)
        } != nil
    }

    private func removeBody(_ name: String, of key: ResponseKey) async {
        await reporting(key) { () async throws(DataCacheError) in
            if let keys = try await keys(key) { try await cache.remove(for: keys.body(name)) }
        }
    }
}

/// Times by key, in memory. Above a thousand keys, it begins anew.
private final class LatestTimes: Sendable {
    private let times = Mutex<[String: Date]>([:])

    subscript(key: String) -> Date? { times.withLock { $0[key] } }

    func note(_ time: Date, for key: String) {
        times.withLock { times in
            if times.count >= 1_000 { times = [:] }
            times[key] = max(time, times[key] ?? time)
        }
    }
}

/// Collects an entry in memory, for caches without streaming.
private final class CollectingWriter: DataCacheWriter {
    private let cache: any ImageDataCache
    private let key: DataCacheKey
    private let data = Mutex(Data())

    init(_ cache: any ImageDataCache, _ key: DataCacheKey) {
        self.cache = cache
        self.key = key
    }

    func append(_ bytes: Data) async throws(DataCacheError) { data.withLock { $0.append(bytes) } }

    func finish(metadata: Data, creationDate: Date) async throws(DataCacheError) {
        let data = data.withLock { $0 }
        try await cache.store(DataCacheEntry(data: data, metadata: metadata, creationDate: creationDate), for: key)
    }

    func cancel() async { data.withLock { $0 = Data() } }
}

/// A stored body. The first chunk is read in advance, so that damage in a small body is a miss instead of a failure.
struct StoredBody: Sendable {
    private let reader: any DataCacheReader
    private let prefix: Data

    init?(in cache: any ImageDataCache, _ key: DataCacheKey) async throws(DataCacheError) {
        let reader: (any DataCacheReader)?
        if let streaming = cache as? any StreamingDataCache {
            reader = try await streaming.reader(for: key)
        } else {
            reader = try await cache.entry(for: key)
        }
        guard let reader, let prefix = try await reader.bytes(in: 0..<StoredChunks.chunkBytes) else { return nil }
        self.reader = reader
        self.prefix = prefix
    }

    var byteCount: Int { reader.byteCount }

    func body(in range: Range<Int>) -> TransportBody {
        if range == 0..<prefix.count { return TransportBody(prefix) }
        if range.upperBound <= prefix.count { return TransportBody(prefix.subdata(in: range)) }
        let chunks = StoredChunks(reader, range, prefix: prefix)
        return TransportBody(pull: { () async throws(TransportError) in try await chunks.next() })
    }
}

/// Reads a part of an entry in chunks.
private final class StoredChunks: Sendable {
    static let chunkBytes = 256 << 10

    private let reader: any DataCacheReader
    private let end: Int
    /// The offset to read next, and the bytes in memory from there.
    private let rest: Mutex<(offset: Int, buffered: Data)>

    init(_ reader: any DataCacheReader, _ range: Range<Int>, prefix: Data) {
        self.reader = reader
        end = range.upperBound
        rest = Mutex((range.lowerBound, prefix.dropFirst(range.lowerBound)))
    }

    /// Throws `.closedEarly` if the entry can no longer be read.
    func next() async throws(TransportError) -> Data? {
        if Task.isCancelled { throw .cancelled }
        let (start, buffered) = rest.withLock { $0 }
        guard start < end else { return nil }
        let chunk = buffered.isEmpty ? await bytes(in: start..<min(end, start + Self.chunkBytes)) : Data(buffered)
        guard let chunk, !chunk.isEmpty else { throw .closedEarly(received: start, expected: end) }
        rest.withLock { $0 = (start + chunk.count, Data()) }
        return chunk
    }

    private func bytes(in range: Range<Int>) async -> Data? {
        do {
            return try await reader.bytes(in: range)
        } catch {
            return nil
        }
    }
}
