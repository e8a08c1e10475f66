import Foundation
import ImageCore
import ImageTesting
import Synchronization
import Testing

@testable import ImageServerKit

@Suite struct ResultCacheTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let disk = InMemoryDataCache()
    private let shared = InMemoryDataCache()

    private func result(_ text: String, lifetime: TimeInterval = 60) -> StoredResult {
        StoredResult(
            data: Data(text.utf8),
            metadata: ResultMetadata(
                format: "png", width: 1, height: 2, tag: "\"\(text)\"", originalDigest: "d", storage: .shared,
                madeAt: now, freshUntil: now.addingTimeInterval(lifetime)))
    }

    private func cache(
        memory: Int = 1 << 20, pendingWrites: Int = 64,
        report: @escaping @Sendable (ResultLevel, DataCacheError) -> Void = { _, _ in }
    ) -> ResultCache {
        ResultCache(
            memoryByteLimit: memory, levels: [.init(name: .disk, cache: disk), .init(name: .shared, cache: shared)],
            pendingWrites: pendingWrites, now: { now }, report: report)
    }

    @Test("returns what it stores, from the fastest level")
    func storing() async {
        let cache = cache()
        cache.store(result("a"), for: "k")
        #expect(cache.resultInMemory(for: "k") == result("a"))
        #expect(await cache.result(for: "k")?.level == .memory)
        await cache.flush()
        #expect(disk.entries.count == 1 && shared.entries.count == 1)
        #expect(await cache.result(for: "other") == nil)
    }

    @Test("a result of another server from the future, or that is fresh for longer than any can be, is a miss")
    func impossibleTimes() async throws {
        for (made, fresh) in [(1e300, 60), (0, 1e300), (7_200, 60), (0, 40_000_000), (0, 60)] {
            var result = result("a")
            result.metadata.madeAt = now.addingTimeInterval(made)
            result.metadata.freshUntil = now.addingTimeInterval(fresh)
            try await shared.store(result.entry(creationDate: now), for: DataCacheKey(identifier: "k"))
            #expect(await cache().result(for: "k")?.result == (made + fresh == 60 ? result : nil))
        }
    }

    @Test("copies a result from a slower level to the faster ones")
    func filling() async {
        await self.cache().storeShared(result("a"), for: "k")
        let other = ResultCache(
            memoryByteLimit: 1 << 20,
            levels: [.init(name: .disk, cache: InMemoryDataCache()), .init(name: .shared, cache: shared)],
            now: { now })
        let hit = await other.result(for: "k")
        #expect(hit?.level == .shared)
        #expect(hit?.result == result("a"))
        #expect(other.resultInMemory(for: "k") == result("a"))
        await other.flush()
    }

    @Test("has stored a result in the shared level when storeShared returns")
    func sharedFirst() async {
        await cache().storeShared(result("a"), for: "k")
        #expect(shared.entries.count == 1)
    }

    @Test("returns a stale result only if no level has a fresh one")
    func staleness() async throws {
        let cache = cache()
        cache.store(result("old", lifetime: -1), for: "k")
        await cache.flush()
        #expect(cache.resultInMemory(for: "k") == nil)
        #expect(await cache.result(for: "k")?.result == result("old", lifetime: -1))
        try await shared.store(try result("new").entry(creationDate: now), for: DataCacheKey(identifier: "k"))
        #expect(await cache.result(for: "k")?.result == result("new"))
    }

    @Test("treats a failing level as a miss, and reports it")
    func failures() async {
        let reports = TestLog<ResultLevel>()
        let cache = cache(memory: 0) { level, _ in reports.append(level) }
        await cache.storeShared(result("a"), for: "k")
        await cache.flush()
        disk.fail(.entry, with: .io("broken"))
        #expect(await cache.result(for: "k")?.level == .shared)
        await cache.flush()
        #expect(reports.messages == [.disk])
    }

    @Test("treats metadata of another version as a miss")
    func otherVersions() async throws {
        try await disk.store(DataCacheEntry(data: Data([1]), creationDate: now), for: DataCacheKey(identifier: "k"))
        #expect(await cache().result(for: "k") == nil)
    }

    @Test("drops writes beyond the limit of pending ones")
    func boundedWrites() async {
        let gate = TestGate()
        disk.hold(.store, at: gate)
        let cache = cache(pendingWrites: 2)
        for name in ["a", "b", "c"] { cache.store(result(name), for: name) }
        await gate.waitForArrivals(2)
        gate.open()
        await cache.flush()
        #expect(disk.entries.count == 2)
        #expect(cache.resultInMemory(for: "c") != nil)
    }
}
