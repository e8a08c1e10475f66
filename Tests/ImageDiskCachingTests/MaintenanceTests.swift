import Foundation
import ImageCore
import ImageDiskCaching
import Testing

@Suite("Maintenance of the disk cache")
struct MaintenanceTests {
    private let folder = TestFolder()
    private let time = SettableTime(testTime)
    private var cache: DiskDataCache { folder.cache(now: { [time] in time.value }) }

    @Test("status counts entries and their bytes, and has the times of the oldest and the newest use")
    func reportsStatus() async throws {
        let empty = try await cache.status()
        #expect(empty.entryCount == 0)
        #expect(empty.oldestUse == nil)
        for number in 1...3 {
            try await cache.store(entry(number * 100), for: key(number))
            time.value += 60
        }
        let status = try await cache.status()
        #expect(status.entryCount == 3)
        #expect(status.byteCount == (1...3).reduce(0) { $0 + fileSize(entry($1 * 100), key($1)) })
        #expect(status.byteLimit == 1 << 20)
        #expect(abs(try #require(status.oldestUse).timeIntervalSince(testTime)) < 0.001)
        #expect(abs(try #require(status.newestUse).timeIntervalSince(testTime + 120)) < 0.001)
    }

    @Test("removeAll(olderThan:) removes entries that were neither stored nor read for that time")
    func removesOld() async throws {
        let day = 86_400.0
        let cache = cache
        for number in 1...3 { try await cache.store(entry(100), for: key(number)) }
        time.value += 5 * day
        _ = try await cache.entry(for: key(2))
        time.value += 5 * day
        try await cache.store(entry(100), for: key(4))
        let removal = try await cache.removeAll(olderThan: .seconds(7 * day))
        #expect(removal.entryCount == 2)
        #expect(removal.byteCount == 2 * fileSize(entry(100), key(1)))
        #expect(try await cache.entry(for: key(1)) == nil)
        #expect(try await cache.entry(for: key(2)) != nil)
        #expect(try await cache.entry(for: key(4)) != nil)
    }

    @Test("trim removes the least recently used entries down to a size, and the limit doesn't change")
    func trims() async throws {
        let cache = cache
        for number in 1...5 { try await cache.store(entry(1_000), for: key(number)) }
        let size = fileSize(entry(1_000), key(1))
        #expect(try await cache.trim(to: 2 * size + 10).entryCount == 3)
        #expect(folder.byteCount() == 2 * size)
        #expect(try await cache.entry(for: key(4)) != nil)
        #expect(try await cache.trim(to: 0).entryCount == 2)
        #expect(folder.byteCount() == 0)
        #expect(cache.byteLimit == 1 << 20)
    }

    @Test("status removes nothing, even if the contents exceed the limit")
    func statusRemovesNothing() async throws {
        for number in 1...5 { try await cache.store(entry(1_000), for: key(number)) }
        #expect(try await folder.cache(byteLimit: 1_000).status().entryCount == 5)
        #expect(folder.files().count == 5)
    }

    @Test(
        "an entry with a time in the future neither stays forever nor evicts others"
    )
    func futureTimes() async throws {
        time.value += 1_000 * 86_400
        try await cache.store(entry(1_000), for: key(1))
        time.value = testTime
        let limit = limit(2, files: 2 * fileSize(entry(1_000), key(1)))
        let later = folder.cache(byteLimit: limit, now: { [time] in time.value })
        try await later.store(entry(1_000), for: key(2))
        try await later.store(entry(1_000), for: key(3))
        #expect(try await later.entry(for: key(1)) == nil)
        #expect(try await later.entry(for: key(2)) != nil)
        time.value += 8 * 86_400
        #expect(try await later.removeAll(olderThan: .seconds(7 * 86_400)).entryCount == 2)
    }

    @Test(
        "after the clock was ahead, ages count from now in the same process",
        arguments: [3_601, 86_400, 315_360_000, 1e12] as [Double])
    func clockWasAhead(_ seconds: Double) async throws {
        let cache = cache
        time.value += seconds
        try await cache.store(entry(100), for: key(1))
        time.value += 60
        try await cache.store(entry(100), for: key(2))
        time.value = testTime
        try await cache.store(entry(100), for: key(3))
        _ = try await cache.entry(for: key(1))
        #expect(try #require(try await cache.status().newestUse) <= testTime + 1)
        time.value += 30
        _ = try await cache.entry(for: key(3))
        time.value += 30
        #expect(try await cache.removeAll(olderThan: .seconds(45)).entryCount == 2)
        #expect(try await cache.entry(for: key(3)) != nil)
        time.value += 46
        #expect(try await cache.removeAll(olderThan: .seconds(45)).entryCount == 1)
    }

    @Test("the time that entries were unused is kept when the clock is set back")
    func distances() async throws {
        let cache = cache
        time.value += 31_536_000
        try await cache.store(entry(100), for: key(1))
        time.value += 86_400
        try await cache.store(entry(100), for: key(2))
        time.value = testTime
        #expect(try await cache.removeAll(olderThan: .seconds(86_000)).entryCount == 1)
        let relaunched = self.cache
        time.value += 86_400
        #expect(try await relaunched.removeAll(olderThan: .seconds(86_000)).entryCount == 1)
    }

    @Test("the order of use is kept after the clock was ahead")
    func orderAfterCorrection() async throws {
        let size = fileSize(entry(1_000), key(1))
        let cache = folder.cache(byteLimit: limit(3, files: 3 * size), now: { [time] in time.value })
        time.value += 31_536_000
        for number in 1...3 { try await cache.store(entry(1_000), for: key(number)) }
        time.value = testTime
        _ = try await cache.entry(for: key(1))
        time.value += 60
        try await cache.store(entry(1_000), for: key(4))
        #expect(try await cache.entry(for: key(2)) == nil)
        try await cache.flush()
        let relaunched = folder.cache(byteLimit: limit(3, files: 3 * size), now: { [time] in time.value })
        try await relaunched.store(entry(1_000), for: key(5))
        #expect(try await relaunched.entry(for: key(3)) == nil)
        #expect(try await relaunched.entry(for: key(1)) != nil)
    }

    @Test("the order of use is kept if the clock doesn't advance or is set back")
    func clockGoesBack() async throws {
        let limit = limit(2, files: 2 * fileSize(entry(1_000), key(1)))
        let cache = folder.cache(byteLimit: limit, now: { [time] in time.value })
        try await cache.store(entry(1_000), for: key(1))
        time.value -= 600
        try await cache.store(entry(1_000), for: key(2))
        time.value -= 600
        _ = try await cache.entry(for: key(1))
        try await cache.flush()
        let relaunched = folder.cache(byteLimit: limit, now: { [time] in time.value })
        try await relaunched.store(entry(1_000), for: key(3))
        #expect(try await relaunched.entry(for: key(2)) == nil)
        #expect(try await relaunched.entry(for: key(1)) != nil)
    }
}
