public import ImageCore

/// Two data caches as one: a near one, such as a disk, above a distant one, such as a shared server.
///
/// - A lookup asks the upper level first, and stores what the lower one has in it. It doesn't wait for that. While 16
///   such entries are being stored, further ones are not.
/// - A store returns when the upper level has the entry. The lower level is written later, from a queue with a limit.
///   If the upper level fails or rejects the entry, the store waits for the lower level, whose result counts.
/// - A removal returns when both levels have removed the entry.
/// - A lookup only throws if both levels fail.
/// - Changes of one key run one after the other, so an old entry never replaces a newer one.
///
/// Call `flush` before the process ends if pending writes must not be lost.
public final class TieredDataCache: ImageDataCache {
    private let upper: any ImageDataCache
    private let lower: any ImageDataCache
    private let pending: PendingWrites
    let fills = RunningFills()
    private let queue = KeyedSerialQueue()
    private let report: @Sendable (TieredCacheEvent) -> Void

    /// Creates a cache of two levels.
    ///
    /// - Parameters:
    ///   - upper: The level that is asked first.
    ///   - lower: The level that is asked next, and written later.
    ///   - options: The limits of pending writes.
    ///   - observer: Called with each event, on any thread.
    public init(
        upper: any ImageDataCache, lower: any ImageDataCache, options: TieredCacheOptions = TieredCacheOptions(),
        observer: @escaping @Sendable (TieredCacheEvent) -> Void = { _ in }
    ) {
        self.upper = upper
        self.lower = lower
        report = observer
        pending = PendingWrites(options) { change, key in
            do throws(DataCacheError) {
                switch change {
                case .store(let entry): try await lower.store(entry, for: key)
                case .remove: try await lower.remove(for: key)
                }
            } catch {
                observer(.failed(key, .lower, error))
            }
        }
    }

    /// Returns the entry for a key, or nil if neither level has it.
    ///
    /// - Throws: The failure of the upper level, if both levels fail.
    public func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        let found = try await find(key)
        report(found.map { .found(key, $0.level) } ?? .missed(key))
        return found?.entry
    }

    /// Stores an entry in the upper level, and later in the lower one.
    ///
    /// - Throws: The failure of the lower level, if both levels fail or reject the entry.
    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        try await change(key) { () async throws(DataCacheError) in
            do throws(DataCacheError) {
                try await upper.store(entry, for: key)
            } catch {
                reportStoreFailure(error, of: key)
                await pending.cancel(key)
                return try await lower.store(entry, for: key)
            }
            if !pending.add(entry, for: key) { report(.dropped(key)) }
        }
    }

    /// Removes the entry for a key from both levels at once.
    ///
    /// - Throws: The failure of a level. The other one has then removed the entry.
    public func remove(for key: DataCacheKey) async throws(DataCacheError) {
        try await change(key) { () async throws(DataCacheError) in
            await pending.cancel(key)
            try await inBothLevels { cache throws(DataCacheError) in try await cache.remove(for: key) }
        }
    }

    /// Removes all entries from both levels at once.
    ///
    /// - Throws: The failure of a level. The other one has then removed its entries.
    public func removeAll() async throws(DataCacheError) {
        fills.beginRemoval()
        defer { fills.endRemoval() }
        await pending.cancelAll()
        try await inBothLevels { cache throws(DataCacheError) in try await cache.removeAll() }
    }

    /// Waits until all pending writes have been made or have failed, in both levels.
    public func flush() async {
        await fills.finish()
        await pending.finish()
    }

    /// Changes of one key run one after another. Each outdates what lookups have found before it ended.
    private func change(
        _ key: DataCacheKey, _ work: () async throws(DataCacheError) -> Void
    ) async throws(DataCacheError) {
        try await queue.perform(key.identifier) { () async throws(DataCacheError) in
            defer { fills.outdate(key) }
            try await work()
        }
    }

    private func find(
        _ key: DataCacheKey
    ) async throws(DataCacheError) -> (entry: DataCacheEntry, level: TieredCacheLevel)? {
        let above = await read(upper, key, .upper)
        if case .success(let entry?) = above { return (entry, .upper) }
        let lookup = fills.beginLookup(of: key)
        let below = await readLower(key)
        guard case .success(let found?) = below else {
            fills.end(lookup)
            if case (.failure(let failure), .failure) = (above, below) { throw failure }
            return nil
        }
        let isStarted = fills.start(lookup) { [self] in await fill(found.entry, for: key, after: lookup) }
        if !isStarted { report(.dropped(key)) }
        return found
    }

    /// Returns the pending entry for a key, or that of the lower level.
    private func readLower(
        _ key: DataCacheKey
    ) async -> Result<(entry: DataCacheEntry, level: TieredCacheLevel)?, DataCacheError> {
        switch pending.change(of: key) {
        case .store(let entry): .success((entry, .upper))
        case .remove: .success(nil)
        case nil: await read(lower, key, .lower).map { $0.map { ($0, .lower) } }
        }
    }

    private func read(
        _ cache: any ImageDataCache, _ key: DataCacheKey, _ level: TieredCacheLevel
    ) async -> Result<DataCacheEntry?, DataCacheError> {
        do throws(DataCacheError) {
            return .success(try await cache.entry(for: key))
        } catch {
            report(.failed(key, level, error))
            return .failure(error)
        }
    }

    /// Stores an entry of the lower level in the upper one, unless it is outdated. Removes it again if all entries were
    /// removed meanwhile.
    private func fill(_ entry: DataCacheEntry, for key: DataCacheKey, after lookup: Int) async {
        await queue.perform(key.identifier) {
            guard fills.isCurrent(lookup) else { return }
            do throws(DataCacheError) {
                try await upper.store(entry, for: key)
                if !fills.isCurrent(lookup) { try await upper.remove(for: key) }
            } catch {
                reportStoreFailure(error, of: key)
            }
        }
    }

    /// Runs an operation in both levels concurrently. Throws the failure of the upper level first.
    private func inBothLevels(
        _ operation: @Sendable (any ImageDataCache) async throws(DataCacheError) -> Void
    ) async throws(DataCacheError) {
        async let below = result(of: operation, in: lower)
        let above = await result(of: operation, in: upper)
        let lowerResult = await below
        try above.get()
        try lowerResult.get()
    }

    private func result(
        of operation: @Sendable (any ImageDataCache) async throws(DataCacheError) -> Void, in cache: any ImageDataCache
    ) async -> Result<Void, DataCacheError> {
        do throws(DataCacheError) {
            return .success(try await operation(cache))
        } catch {
            return .failure(error)
        }
    }

    /// Reports that the upper level failed to store an entry. A level that is too small for an entry hasn't failed.
    private func reportStoreFailure(_ failure: DataCacheError, of key: DataCacheKey) {
        if case .tooLarge = failure { return }
        report(.failed(key, .upper, failure))
    }
}

/// The limits of the writes that wait for the lower level of a tiered cache.
public struct TieredCacheOptions: Hashable, Sendable {
    /// The largest number of entries that wait. Further ones are dropped. The default is 256.
    public var maxPendingWrites = 256
    /// The largest total size of the entries that wait, in bytes, without their keys. The default is 64 MiB.
    public var pendingByteLimit = 64 << 20
    /// The largest number of writes to the lower level at once, at least 1. The default is 4.
    public var maxConcurrentWrites = 4

    /// The largest number of waiting changes, including removals of the older entries of dropped writes.
    var maxPendingRemovals: Int { min(max(0, maxPendingWrites), 1 << 24) * 8 }

    /// Creates options with the default values.
    public init() {}
}

/// A level of a tiered cache.
public enum TieredCacheLevel: Hashable, Sendable {
    /// The level that is asked first, such as a disk.
    case upper
    /// The level that is asked next, such as a server that many processes share.
    case lower
}

/// What happened in a tiered cache.
@nonexhaustive
public enum TieredCacheEvent: Hashable, Sendable {
    /// A lookup found an entry in a level. A pending write counts as in the upper.
    case found(DataCacheKey, TieredCacheLevel)
    /// A lookup found no entry.
    case missed(DataCacheKey)
    /// An entry was not written to a level, because too many writes waited.
    case dropped(DataCacheKey)
    /// An operation of a level failed.
    case failed(DataCacheKey, TieredCacheLevel, DataCacheError)
}
