import Foundation
import ImageCore
import ImageHTTPCaching
import ImageMemoryCaching

/// Stores results in several levels, from the fastest to the slowest.
///
/// A result that is found in a level is copied to the faster ones. A level that fails is a miss.
final class ResultCache: Sendable {
    /// A level below the memory.
    struct Level: Sendable {
        var name: ResultLevel
        var cache: any ImageDataCache
        private let names: EntryNames

        init(name: ResultLevel, cache: any ImageDataCache) {
            self.name = name
            self.cache = cache
            names = EntryNames(cache)
        }

        /// Returns the key of an entry. That of a private result can't be computed from the credentials of a client.
        ///
        /// - Parameter creationTime: The time of a new secret of the store; nil to make none, and return nil without one.
        func key(for key: String, creationTime: Date?) async throws(DataCacheError) -> DataCacheKey? {
            guard key.hasPrefix(ResultCache.privatePrefix) else { return DataCacheKey(identifier: key) }
            return try await names.name(for: key, creationTime: creationTime)
                .map { DataCacheKey(identifier: ResultCache.privatePrefix + $0) }
        }
    }

    struct Hit: Sendable {
        var result: StoredResult
        var level: ResultLevel
    }

    /// The beginning of the keys of results that depend on the header fields of a client.
    static let privatePrefix = "private "

    private let memory: MemoryCache<String, StoredResult>
    private let levels: [Level]
    private let writes: BackgroundWrites
    private let longest: Duration
    private let now: @Sendable () -> Date
    private let report: @Sendable (ResultLevel, DataCacheError) -> Void

    /// - Parameters:
    ///   - levels: The levels below the memory, fastest first.
    ///   - pendingWrites: The most writes that wait or run at a time. Further results are not stored below the memory.
    ///   - longest: The longest lifetime of a result. Others can write to a level: what says more is not used.
    init(
        memoryByteLimit: Int, levels: [Level], pendingWrites: Int = 64,
        longest: Duration = .seconds(31_536_000), now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (ResultLevel, DataCacheError) -> Void = { _, _ in }
    ) {
        memory = MemoryCache(
            limits: CacheLimits(cost: memoryByteLimit, entryCost: max(1, memoryByteLimit / 2)), policy: .s3FIFO)
        self.levels = levels
        writes = BackgroundWrites(limit: pendingWrites)
        self.longest = longest
        self.now = now
        self.report = report
    }

    /// The size of the results in memory in bytes.
    var memoryByteCount: Int { memory.totalCost }

    /// Returns a fresh result in memory that was made after a purge.
    func resultInMemory(for key: String, madeAfter purge: Date = .distantPast) -> StoredResult? {
        memory.value(for: key).flatMap { isFresh($0) && $0.metadata.madeAt > purge ? $0 : nil }
    }

    /// Returns the first result in any level that was made after a purge, fresh or not. Reads the next level only if a
    /// level has none or a stale one.
    func result(for key: String, madeAfter purge: Date = .distantPast) async -> Hit? {
        var stale = memory.value(for: key).flatMap {
            $0.metadata.madeAt > purge ? Hit(result: $0, level: .memory) : nil
        }
        if let hit = stale, isFresh(hit.result) { return hit }
        for (index, level) in levels.enumerated() {
            guard let result = await read(key, from: level), result.metadata.madeAt > purge else { continue }
            let hit = Hit(result: result, level: level.name)
            guard isFresh(result) else {
                stale = stale ?? hit
                continue
            }
            fill(levels.prefix(index), with: result, for: key)
            return hit
        }
        return stale
    }

    /// Stores a result in all levels. Returns before the levels below the memory have written it.
    func store(_ result: StoredResult, for key: String) { fill(levels[...], with: result, for: key) }

    /// Stores a result in the level that all servers share, and returns after that. The other levels follow.
    func storeShared(_ result: StoredResult, for key: String) async {
        fill(levels.filter { $0.name != .shared }[...], with: result, for: key)
        for level in levels where level.name == .shared { await write(result, for: key, to: level) }
    }

    /// Waits until all results are written.
    func flush() async { await writes.flush() }

    private func isFresh(_ result: StoredResult) -> Bool { result.metadata.freshUntil > now() }

    private func read(_ key: String, from level: Level) async -> StoredResult? {
        do throws(DataCacheError) {
            guard let key = try await level.key(for: key, creationTime: nil),
                let entry = try await level.cache.entry(for: key)
            else { return nil }
            // An entry of another version is a miss, and is replaced.
            guard let result = try? StoredResult(entry) else { return nil }
            let latest = now().addingTimeInterval(PurgeList.skew)
            let isPossible =
                result.metadata.madeAt <= latest
                && result.metadata.freshUntil <= latest.addingTimeInterval(longest.seconds)
            return isPossible ? result : nil
        } catch {
            report(level.name, error)
            return nil
        }
    }

    private func fill(_ levels: ArraySlice<Level>, with result: StoredResult, for key: String) {
        memory.insert(result, cost: result.byteCount + key.utf8.count, for: key)
        guard !levels.isEmpty else { return }
        writes.run { for level in levels { await self.write(result, for: key, to: level) } }
    }

    private func write(_ result: StoredResult, for key: String, to level: Level) async {
        do throws(DataCacheError) {
            guard let key = try await level.key(for: key, creationTime: now()) else { return }
            try await level.cache.store(result.entry(creationDate: now()), for: key)
        } catch {
            report(level.name, error)
        }
    }
}
