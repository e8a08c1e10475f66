import Foundation
import ImageCore
import Synchronization

/// Remembers what was purged and when. Results that were made before are not used any more.
///
/// Each server keeps the list of all purges in memory, so that it hides results there without asking another server.
/// The list is also stored in the caches of results. Servers that share one read it there from time to time, and write
/// what is missing. So no purge is lost if two servers write at the same time, or if the shared cache is emptied.
final class Purges: Sendable {
    private struct State {
        var list = PurgeList()
        /// When this server learned of purges of others. Clocks of servers can differ.
        var learned: [String: Date] = [:]
        /// The texts of the stored lists, by level.
        var revisions: [ResultLevel: Data] = [:]
        /// The exchange in progress, and the one that begins after it, which also has what is purged meanwhile.
        var running: Task<Exchange, Never>?
        var next: Task<Exchange, Never>?
    }

    /// The sources that other servers have purged, and whether all levels were reached.
    typealias Exchange = (purged: [URL], isComplete: Bool)

    private let state = Mutex(State())
    /// Changes with the lock of the state, and is read without it.
    private let isEmpty = Atomic(true)
    private let levels: [ResultCache.Level]
    private let longest: Duration
    private let now: @Sendable () -> Date
    private let report: @Sendable (ResultLevel, DataCacheError) -> Void

    /// - Parameters:
    ///   - levels: The caches in which the list is stored.
    ///   - longest: The longest lifetime of a result and of an original. Older purges are forgotten: what they hide is out
    ///     of date.
    init(
        levels: [ResultCache.Level] = [], longest: Duration = .seconds(31_536_000), now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (ResultLevel, DataCacheError) -> Void = { _, _ in }
    ) {
        self.levels = levels
        self.longest = longest
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

    /// Reads the stored lists, and writes into each what it lacks. Calls during an exchange share the next one.
    ///
    /// - Returns: The sources that other servers have purged since the last exchange, and whether all levels were reached.
    @discardableResult
    func synchronize() async -> Exchange {
        let task = state.withLock { state in
            if let next = state.next { return next }
            let next = Task { [running = state.running] in
                _ = await running?.value
                self.state.withLock { $0.running = $0.next.take() }
                return await self.exchange()
            }
            state.next = next
            return next
        }
        return await task.value
    }

    private func exchange() async -> Exchange {
        state.withLock { $0.list.forget(before: now().addingTimeInterval(-longest.seconds)) }
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
        state.withLock {
            $0.list.add(name, at: time)
            isEmpty.store(false, ordering: .releasing)
        }
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
            stored = PurgeList(data, now: now())
        }
        let list = state.withLock { state in
            state.list.merge(stored)
            state.list.forget(before: now().addingTimeInterval(-longest.seconds))
            isEmpty.store(state.list == PurgeList(), ordering: .releasing)
            return state.list
        }
        let text = list.encoded
        let wanted = Data(Digest.text(of: text).utf8)
        if revision != wanted, revision != nil || list != PurgeList() {
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

    private static let listKey = DataCacheKey(identifier: "purges 2")
    private static let revisionKey = DataCacheKey(identifier: "purges 2 revision")
}

/// The times of purges by what is purged.
struct PurgeList: Equatable, Sendable {
    /// The most purges in a list.
    static let limit = 100_000
    private static let maxNameBytes = OriginRules.maxByteCount + 7
    /// The most seconds by which clocks of servers differ.
    static let skew: TimeInterval = 3_600

    private(set) var times: [String: Date] = [:]
    /// Everything that was made before this time is purged, because older purges were dropped from the list.
    private(set) var floor = Date.distantPast

    init() {}

    /// Reads `encoded`, which others can have written: lines of another form and times in the future don't count, which
    /// would hide all results.
    init(_ data: Data, now: Date) {
        let latest = now.addingTimeInterval(Self.skew)
        for line in data.split(separator: UInt8(ascii: "\n")) where line.count <= Self.maxNameBytes + 32 {
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
            guard let seconds = parts.first.flatMap({ TimeInterval($0) }), seconds.isFinite else { continue }
            let time = Date(timeIntervalSinceReferenceDate: seconds)
            guard time <= latest else { continue }
            if parts.count == 1 { floor = time } else { times[String(parts[1])] = time }
        }
    }

    /// A line with the floor, and one for each purge: the seconds since 2001, which are exact, and the name. Equal lists
    /// have equal texts.
    var encoded: Data {
        let lines = times.sorted { $0.key < $1.key }.map { "\($0.value.timeIntervalSinceReferenceDate) \($0.key)\n" }
        return Data("\(floor.timeIntervalSinceReferenceDate)\n\(lines.joined())".utf8)
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

    /// Removes the purges that hide nothing any more.
    mutating func forget(before time: Date) {
        if times.contains(where: { $0.value < time }) { times = times.filter { $0.value >= time } }
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
        let options = url.unhintedKey ?? url.options.cacheKey
        return "result \(Digest.text(of: Data("\(options) \(url.source.absoluteString)".utf8)))"
    }

    /// Returns the source of a name; nil if it is that of a result.
    static func source(_ name: String) -> URL? {
        guard name.hasPrefix("source ") else { return nil }
        return URL(string: String(name.dropFirst("source ".count)), encodingInvalidCharacters: false)
    }
}
