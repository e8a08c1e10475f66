import Foundation
import ImageCore
import ImageTesting
import ImageTieredCaching
import Testing

@Suite("A tiered cache")
struct TieredDataCacheTests {
    private let upper = InMemoryDataCache()
    private let lower = InMemoryDataCache()
    private let events = Watched<[TieredCacheEvent]>([])

    private func makeCache(
        upper: InMemoryDataCache? = nil, configure: (inout TieredCacheOptions) -> Void = { _ in }
    ) -> TieredDataCache {
        var options = TieredCacheOptions()
        configure(&options)
        let events = events
        return TieredDataCache(upper: upper ?? self.upper, lower: lower, options: options) { event in
            events.change { $0.append(event) }
        }
    }

    private func key(_ number: Int) -> DataCacheKey { DataCacheKey(identifier: "\(number)") }

    private func entry(_ seed: UInt8, count: Int = 10) -> DataCacheEntry {
        DataCacheEntry(
            data: Data(repeating: seed, count: count), createdAt: Date(timeIntervalSinceReferenceDate: Double(seed)))
    }

    @Test("a lookup reports the level that had the entry, and fills the upper one")
    func fillsUpwards() async throws {
        try await lower.store(entry(1), for: key(1))
        let cache = makeCache()
        #expect(try await cache.entry(for: key(1)) == entry(1))
        #expect(upper.entries == [key(1): entry(1)])
        #expect(try await cache.entry(for: key(1)) == entry(1))
        #expect(try await cache.entry(for: key(2)) == nil)
        #expect(events.value == [.found(key(1), .lower), .found(key(1), .upper), .missed(key(2))])
    }

    @Test("a hit in the upper level doesn't ask the lower one")
    func upperOnly() async throws {
        try await upper.store(entry(1), for: key(1))
        #expect(try await makeCache().entry(for: key(1)) == entry(1))
        #expect(lower.messages.isEmpty)
    }

    @Test("a store returns before the lower level is written")
    func writesLater() async throws {
        let gate = Gate()
        lower.hold(.store, at: gate)
        let cache = makeCache()
        try await cache.store(entry(1), for: key(1))
        #expect(upper.entries == [key(1): entry(1)])
        await gate.arrivals(1)
        #expect(lower.entries.isEmpty)
        gate.open()
        await cache.flush()
        #expect(lower.entries == [key(1): entry(1)])
    }

    @Test("an entry that waits for the lower level is found after the upper one evicted it")
    func findsPending() async throws {
        let gate = Gate()
        lower.hold(.store, at: gate)
        let cache = makeCache()
        try await cache.store(entry(1), for: key(1))
        try await upper.remove(for: key(1))
        #expect(try await cache.entry(for: key(1)) == entry(1))
        gate.open()
        await cache.flush()
    }

    @Test("of several stores for a key, only the newest that waits is written")
    func newestWins() async throws {
        let gate = Gate()
        lower.hold(.store, at: gate)
        let cache = makeCache()
        for seed in 1...5 { try await cache.store(entry(UInt8(seed)), for: key(1)) }
        await gate.arrivals(1)
        gate.open()
        await cache.flush()
        #expect(lower.messages.count == 2)
        #expect(lower.entries == [key(1): entry(5)])
    }

    @Test("writes run at once up to the limit, and the others wait in order")
    func concurrentWrites() async throws {
        let gate = Gate()
        lower.hold(.store, at: gate)
        let cache = makeCache { $0.maxConcurrentWrites = 2 }
        for number in 1...5 { try await cache.store(entry(1), for: key(number)) }
        await gate.arrivals(2)
        #expect(gate.arrivalCount == 2)
        gate.letOnePass()
        await gate.arrivals(3)
        #expect(lower.messages.last == .store(key(3), bytes: 10))
        gate.open()
        await cache.flush()
        #expect(lower.entries.count == 5)
    }

    @Test("entries that exceed the limits of the queue are dropped and counted, and their older entries are removed")
    func dropped() async throws {
        try await lower.store(entry(9), for: key(4))
        let gate = Gate()
        lower.hold(.store, at: gate)
        let cache = makeCache {
            ($0.maxConcurrentWrites, $0.maxPendingWrites, $0.maxPendingBytes) = (1, 2, 25)
        }
        for number in 1...4 { try await cache.store(entry(1), for: key(number)) }
        try await cache.store(entry(1, count: 26), for: key(5))
        #expect(events.value.suffix(2) == [.dropped(key(4)), .dropped(key(5))])
        gate.open()
        await cache.flush()
        #expect(Set(lower.entries.keys) == [key(1), key(2), key(3)])
        #expect(upper.entries.count == 5)
    }

    @Test("a queue without any space still removes nothing and stores in the upper level")
    func noQueue() async throws {
        let cache = makeCache { $0.maxPendingWrites = 0 }
        try await cache.store(entry(1), for: key(1))
        await cache.flush()
        #expect(upper.entries == [key(1): entry(1)])
        #expect(lower.messages.isEmpty)
        #expect(events.value == [.dropped(key(1))])
    }

    @Test("a removal waits for a write in progress, and removes the entry from both levels")
    func removesAfterWrite() async throws {
        let gate = Gate()
        lower.hold(.store, at: gate)
        let cache = makeCache()
        try await cache.store(entry(1), for: key(1))
        await gate.arrivals(1)
        let removal = Task { try await cache.remove(for: key(1)) }
        gate.open()
        try await removal.value
        #expect(upper.entries.isEmpty)
        #expect(lower.entries.isEmpty)
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("removals are sent to both levels at once")
    func removesAtOnce() async throws {
        let gate = Gate()
        upper.hold(.remove, at: gate)
        lower.hold(.remove, at: gate)
        let cache = makeCache()
        let removal = Task { try await cache.remove(for: key(1)) }
        await gate.arrivals(2)
        gate.open()
        try await removal.value
    }

    @Test("removing all entries discards pending writes")
    func removesAll() async throws {
        let gate = Gate()
        lower.hold(.store, at: gate)
        let cache = makeCache { $0.maxConcurrentWrites = 1 }
        for number in 1...5 { try await cache.store(entry(1), for: key(number)) }
        await gate.arrivals(1)
        let removal = Task { try await cache.removeAll() }
        gate.open()
        try await removal.value
        await cache.flush()
        #expect(upper.entries.isEmpty)
        #expect(lower.entries.isEmpty)
    }

    @Test("an entry that is read while all are removed isn't stored in the upper level again")
    func removesDuringFill() async throws {
        try await lower.store(entry(1), for: key(1))
        let gate = Gate()
        upper.hold(.store, at: gate)
        let cache = makeCache()
        let lookup = Task { try await cache.entry(for: key(1)) }
        await gate.arrivals(1)
        try await cache.removeAll()
        gate.open()
        #expect(try await lookup.value == entry(1))
        #expect(upper.entries.isEmpty)
    }

    @Test("an entry that is read doesn't replace a newer one, and doesn't return after a removal")
    func fillIsNotLate() async throws {
        try await lower.store(entry(1), for: key(1))
        let gate = Gate()
        lower.hold(.entry, at: gate)
        let cache = makeCache()
        let lookup = Task { try await cache.entry(for: key(1)) }
        await gate.arrivals(1)
        let store = Task { try await cache.store(entry(2), for: key(1)) }
        gate.open()
        _ = try await (lookup.value, store.value)
        #expect(upper.entries == [key(1): entry(2)])
        try await cache.remove(for: key(1))
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("a level that fails to read counts as empty, and if both fail, the lookup throws")
    func failedReads() async throws {
        try await lower.store(entry(1), for: key(1))
        upper.fail(.entry, with: .io("upper"))
        let cache = makeCache()
        #expect(try await cache.entry(for: key(1)) == entry(1))
        #expect(events.value.last == .found(key(1), .lower))
        #expect(events.value.contains(.failed(key(1), .upper, .io("upper"))))
        lower.fail(.entry, with: .io("lower"))
        await #expect(throws: DataCacheFailure.io("upper")) { try await cache.entry(for: key(1)) }
        upper.recover()
        #expect(try await cache.entry(for: key(2)) == nil)
    }

    @Test("if the upper level fails to store, the store waits for the lower one")
    func failedUpperStore() async throws {
        upper.fail(.store, with: .noSpace)
        let cache = makeCache()
        try await cache.store(entry(1), for: key(1))
        #expect(lower.entries == [key(1): entry(1)])
        #expect(events.value == [.failed(key(1), .upper, .noSpace)])
        lower.fail(.store, with: .io("lower"))
        await #expect(throws: DataCacheFailure.io("lower")) { try await cache.store(entry(1), for: key(1)) }
    }

    @Test("an entry that is too large for the upper level is stored in the lower one, and is no failure")
    func tooLargeForUpper() async throws {
        let cache = makeCache(upper: InMemoryDataCache(byteLimit: 5))
        try await cache.store(entry(1), for: key(1))
        #expect(lower.entries == [key(1): entry(1)])
        #expect(try await cache.entry(for: key(1)) == entry(1))
        #expect(events.value == [.found(key(1), .lower)])
    }

    @Test("a failed write to the lower level is reported and not repeated")
    func failedLowerWrite() async throws {
        lower.fail(.store, with: .io("lower"), times: 1)
        let cache = makeCache()
        try await cache.store(entry(1), for: key(1))
        await cache.flush()
        #expect(events.value == [.failed(key(1), .lower, .io("lower"))])
        #expect(lower.messages.count == 1)
        #expect(try await cache.entry(for: key(1)) == entry(1))
    }

    @Test("a removal that fails in one level removes the entry from the other, and throws")
    func failedRemoval() async throws {
        try await upper.store(entry(1), for: key(1))
        try await lower.store(entry(1), for: key(1))
        lower.fail(.remove, with: .io("lower"))
        await #expect(throws: DataCacheFailure.io("lower")) { try await makeCache().remove(for: key(1)) }
        #expect(upper.entries.isEmpty)
    }
}
