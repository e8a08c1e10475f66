public import Foundation
public import ImageCore
import Synchronization

/// Remembers what was purged and when. Results that were made before are not used any more.
///
/// Each server keeps the list of all purges in memory, so that it hides results there without asking another server.
/// The list is also stored in the caches of results. Servers that share one read it there from time to time, and write
/// what is missing. So no purge is lost if two servers write at the same time, or if the shared cache is emptied.
public final class Purges: Sendable {
    private struct State {
        var list = PurgeList()
        /// When this server learned of purges of others. Clocks of servers can differ.
        var learned: [String: Date] = [:]
        /// The texts of the stored lists, by level.
        var revisions: [ResultLevel: Data] = [:]
    }

    private let state = Mutex(State())
    private let isEmpty = Atomic(true)
    private let levels: [ResultCache.Level]
    private let now: @Sendable () -> Date
    private let report: @Sendable (ResultLevel, DataCacheError) -> Void

    /// - Parameters:
    ///   - levels: The caches in which the list is stored.
    ///   - now: Returns the current time.
    ///   - report: Receives failures of a level.
    public init(
        levels: [ResultCache.Level] = [], now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (ResultLevel, DataCacheError) -> Void = { _, _ in }
    ) {
        self.levels = levels
        self.now = now
        self.report = report
    }

    /// Returns the time before which results for a URL are purged, also by its watermark.
    func time(for url: ImageURL) -> Date {
        if isEmpty.load(ordering: .acquiring) { return .distantPast }
        let sources = [url.source] + (url.options.watermarkSource.map { [$0] } ?? [])
        return time(of: sources.map(PurgeList.name(source:)) + [PurgeList.name(resultOf: url)])
    }

    /// Returns the time before which a file is purged that was loaded as a source.
    func time(ofFile source: URL) -> Date { time(of: [PurgeList.name(source: source)]) }

    /// Returns the time of the last purge of an original: the same on all servers that know of it.
    func time(ofOriginal source: URL) -> Date {
        if isEmpty.load(ordering: .acquiring) { return .distantPast }
        return state.withLock { max($0.list.floor, $0.list.times[PurgeList.name(source: source)] ?? .distantPast) }
    }

    private func time(of names: [String]) -> Date {
        state.withLock { state in
            names.flatMap { [state.list.times[$0], state.learned[$0]] }.compactMap(\.self)
                .reduce(state.list.floor, max)
        }
    }

    /// Purges all results of a source from now on. Call `synchronize` to tell the other servers.
    func add(source: URL) { add(PurgeList.name(source: source)) }

    /// Purges the results of a URL, in all formats.
    func add(resultOf url: ImageURL) { add(PurgeList.name(resultOf: url)) }

    /// Reads the stored lists, and writes into each what it lacks.
    ///
    /// - Returns: The sources that other servers have purged since the last call, and whether all levels were reached.
    @discardableResult
    func synchronize() async -> (purged: [URL], isComplete: Bool) {
        var isComplete = true
        // Only this server writes to its own levels, so they have nothing new.
        for level in levels where level.name != .shared { isComplete = await exchange(level) && isComplete }
        let known = state.withLock { $0.list }
        for level in levels where level.name == .shared { isComplete = await exchange(level) && isComplete }
        let purged = learn(since: known)
        guard state.withLock({ $0.list }) != known else { return (purged, isComplete) }
        for level in levels where level.name != .shared { isComplete = await exchange(level) && isComplete }
        return (purged, isComplete)
    }

    private func add(_ name: String) {
        let time = now()
        state.withLock { $0.list.add(name, at: time) }
        isEmpty.store(false, ordering: .releasing)
    }

    private func exchange(_ level: ResultCache.Level) async -> Bool {
        do throws(DataCacheError) {
            try await exchange(level.name, level.cache)
            return true
        } catch {
            report(level.name, error)
            return false
        }
    }

    /// The list is read only if its revision, a small entry, is another one than that which was read or written last.
    private func exchange(_ name: ResultLevel, _ cache: any ImageDataCache) async throws(DataCacheError) {
        let revision = try await cache.entry(for: Self.revisionKey)?.data
        var stored = PurgeList()
        if revision == nil || revision != state.withLock({ $0.revisions[name] }),
            let data = try await cache.entry(for: Self.listKey)?.data
        {
            stored = PurgeList(data, now: now()) ?? stored
        }
        let list = state.withLock { state in
            state.list.merge(stored)
            return state.list
        }
        isEmpty.store(list == PurgeList(), ordering: .releasing)
        let text = try list.encoded()
        let wanted = Data(Digest.text(of: text).utf8)
        if revision != wanted, list != PurgeList() {
            try await cache.store(DataCacheEntry(data: text, creationDate: now()), for: Self.listKey)
            try await cache.store(DataCacheEntry(data: wanted, creationDate: now()), for: Self.revisionKey)
        }
        state.withLock { $0.revisions[name] = wanted }
    }

    /// Notes when this server learned of purges, and returns their sources.
    private func learn(since known: PurgeList) -> [URL] {
        let time = now()
        return state.withLock { state in
            let new = state.list.times.filter { known.times[$0.key] != $0.value }.map(\.key)
            for name in new { state.learned[name] = time }
            state.learned = state.learned.filter { state.list.times[$0.key] != nil }
            return new.compactMap(PurgeList.source)
        }
    }

    private static let listKey = DataCacheKey(identifier: "purges 1")
    private static let revisionKey = DataCacheKey(identifier: "purges 1 revision")
}

/// The times of purges by what is purged.
struct PurgeList: Codable, Equatable, Sendable {
    /// The most purges in a list.
    static let limit = 10_000
    private static let maxNameBytes = OriginRules.maxByteCount + 7
    /// The most seconds by which clocks of servers differ.
    static let skew: TimeInterval = 3_600

    private(set) var times: [String: Date] = [:]
    /// Everything that was made before this time is purged, because older purges were dropped from the list.
    private(set) var floor = Date.distantPast

    init() {}

    /// Creates a list that others can have written: times in the future don't count, which would hide all results.
    init?(_ data: Data, now: Date) {
        guard let list = try? JSONDecoder().decode(PurgeList.self, from: data) else { return nil }
        let latest = now.addingTimeInterval(Self.skew)
        times = list.times.filter { $0.value <= latest && $0.key.utf8.count <= Self.maxNameBytes }
        floor = list.floor <= latest ? list.floor : .distantPast
    }

    /// The list as JSON. Equal lists have equal texts.
    func encoded() throws(DataCacheError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try encoder.encode(self)
        } catch {
            throw .io("\(error)")
        }
    }

    mutating func add(_ name: String, at time: Date) {
        times[name] = max(times[name] ?? time, time)
        dropOldest()
    }

    /// Adds the purges of another list.
    mutating func merge(_ other: PurgeList) {
        times.merge(other.times, uniquingKeysWith: max)
        floor = max(floor, other.floor)
        dropOldest()
    }

    private mutating func dropOldest() {
        guard times.count > Self.limit else { return }
        // A few more are dropped, so that this happens rarely.
        let dropped = times.sorted { $0.value < $1.value }.dropLast(Self.limit * 9 / 10)
        for (name, time) in dropped {
            times[name] = nil
            floor = max(floor, time)
        }
    }

    static func name(source: URL) -> String { "source \(source.absoluteString)" }

    static func name(resultOf url: ImageURL) -> String {
        "result \(Digest.text(of: Data("\(url.options.cacheKey) \(url.source.absoluteString)".utf8)))"
    }

    /// Returns the source of a name; nil if it is that of a result.
    static func source(_ name: String) -> URL? {
        guard name.hasPrefix("source ") else { return nil }
        return URL(string: String(name.dropFirst("source ".count)), encodingInvalidCharacters: false)
    }
}
