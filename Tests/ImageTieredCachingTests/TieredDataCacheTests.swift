import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageTieredCaching

@Suite("A tiered cache", .timeLimit(.minutes(10)))
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
            data: Data(repeating: seed, count: count), creationDate: Date(timeIntervalSinceReferenceDate: Double(seed)))
    }

    @Test("a lookup reports the level that had the entry, and fills the upper one, which is then asked alone")
    func fillsUpwards() async throws {
        try await lower.store(entry(1), for: key(1))
        let cache = makeCache()
        #expect(try await cache.entry(for: key(1)) == entry(1))
        await cache.flush()
        #expect(upper.entries == [key(1): entry(1)])
        let messageCount = lower.messages.count
        #expect(try await cache.entry(for: key(1)) == entry(1))
        #expect(lower.messages.count == messageCount)
        #expect(try await cache.entry(for: key(2)) == nil)
        #expect(events.value == [.found(key(1), .lower), .found(key(1), .upper), .missed(key(2))])
    }

    @Test("a store returns before the lower level is written")
    func writesLater() async throws {
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache()
        try await cache.store(entry(1), for: key(1))
        #expect(upper.entries == [key(1): entry(1)])
        await gate.waitForArrivals(1)
        #expect(lower.entries.isEmpty)
        gate.open()
        await cache.flush()
        #expect(lower.entries == [key(1): entry(1)])
    }

    @Test("an entry that waits for the lower level is found after the upper one evicted it")
    func findsPending() async throws {
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache()
        try await cache.store(entry(1), for: key(1))
        try await upper.remove(for: key(1))
        #expect(try await cache.entry(for: key(1)) == entry(1))
        #expect(events.value == [.found(key(1), .upper)])
        gate.open()
        await cache.flush()
    }

    @Test("of several stores for a key, only the newest that waits is written")
    func newestWins() async throws {
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache()
        for seed in 1...5 { try await cache.store(entry(UInt8(seed)), for: key(1)) }
        await gate.waitForArrivals(1)
        gate.open()
        await cache.flush()
        #expect(lower.messages.count == 2)
        #expect(lower.entries == [key(1): entry(5)])
    }

    @Test("writes run at once up to the limit, and the others wait in order")
    func concurrentWrites() async throws {
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache { $0.maxConcurrentWrites = 2 }
        for number in 1...5 { try await cache.store(entry(1), for: key(number)) }
        await gate.waitForArrivals(2)
        #expect(gate.arrivalCount == 2)
        for number in 3...5 {
            gate.letOnePass()
            await gate.waitForArrivals(number)
            #expect(lower.messages.last == .store(key(number), bytes: 10))
        }
        gate.open()
        await cache.flush()
        #expect(lower.entries.count == 5)
    }

    @Test("entries that exceed the limits of the queue are dropped and counted, and their older entries are removed")
    func dropped() async throws {
        try await lower.store(entry(9), for: key(4))
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache {
            ($0.maxConcurrentWrites, $0.maxPendingWrites, $0.pendingByteLimit) = (1, 2, 25)
        }
        for number in 1...4 { try await cache.store(entry(1), for: key(number)) }
        try await cache.store(entry(1, count: 26), for: key(5))
        #expect(events.value.suffix(2) == [.dropped(key(4)), .dropped(key(5))])
        gate.open()
        await cache.flush()
        #expect(Set(lower.entries.keys) == [key(1), key(2), key(3)])
        #expect(upper.entries.count == 5)
    }

    @Test("an older entry below a dropped one is not found")
    func droppedIsMissed() async throws {
        try await lower.store(entry(9), for: key(3))
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache { ($0.maxConcurrentWrites, $0.maxPendingWrites) = (1, 1) }
        for number in 1...3 { try await cache.store(entry(1), for: key(number)) }
        try await upper.remove(for: key(3))
        #expect(try await cache.entry(for: key(3)) == nil)
        gate.open()
        await cache.flush()
    }

    @Test("data and metadata that wait fill the queue up to its limit, and a removal of all entries empties it")
    func byteLimit() async throws {
        let gates = [TestGate(), TestGate()]
        lower.hold(.store, at: gates[0])
        let cache = makeCache { ($0.maxConcurrentWrites, $0.pendingByteLimit) = (0, 20) }
        try await cache.store(entry(1), for: key(0))
        await gates[0].waitForArrivals(1)
        var large = entry(2)
        large.metadata = Data(count: 5)
        try await cache.store(large, for: key(1))
        try await cache.store(entry(3, count: 6), for: key(2))
        try await cache.store(entry(3, count: 5), for: key(3))
        #expect(events.value == [.dropped(key(2))])
        try await upper.remove(for: key(3))
        let removal = Task { try await cache.removeAll() }
        while try await cache.entry(for: key(3)) != nil { await Task.yield() }
        lower.hold(.store, at: gates[1])
        gates[0].open()
        try await removal.value
        for number in 0...1 { try await cache.store(entry(1, count: 20), for: key(number)) }
        #expect(events.value.count { if case .dropped = $0 { true } else { false } } == 1)
        gates[1].open()
        await cache.flush()
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

    @Test("a removal waits for a write in progress, and discards one that waits", arguments: [false, true])
    func removesAfterWrite(_ removesAll: Bool) async throws {
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache { $0.maxConcurrentWrites = 1 }
        for key in [key(1), key(2)] { try await cache.store(entry(1), for: key) }
        await gate.waitForArrivals(1)
        let (executor, hasEnded) = (SeededExecutor(seed: 1), Watched(false))
        let task = Task(executorPreference: executor) {
            defer { hasEnded.change { $0 = true } }
            if removesAll { return try await cache.removeAll() }
            try await cache.remove(for: key(2))
            try await cache.remove(for: key(1))
        }
        executor.run()
        #expect(!hasEnded.value)
        #expect(!lower.messages.contains { [.removeAll, .remove(key(1))].contains($0) })
        gate.open()
        while !hasEnded.value {
            executor.run()
            await Task.yield()
        }
        try await task.value
        await cache.flush()
        #expect(upper.entries.isEmpty)
        #expect(lower.entries.isEmpty)
        #expect(try await cache.entry(for: key(1)) == nil)
    }

    @Test("removals are sent to both levels at once")
    func removesAtOnce() async throws {
        let gate = TestGate()
        upper.hold(.remove, at: gate)
        lower.hold(.remove, at: gate)
        let cache = makeCache()
        let removal = Task { try await cache.remove(for: key(1)) }
        await gate.waitForArrivals(2)
        gate.open()
        try await removal.value
    }

    @Test("lookups don't wait for an upper level that is slow to store, and fill it with up to 16 entries at once")
    func slowFill() async throws {
        let gate = TestGate()
        upper.hold(.store, at: gate)
        for number in 0..<20 { try await lower.store(entry(1), for: key(number)) }
        let cache = makeCache()
        for number in Array(0..<20) + [0] { #expect(try await cache.entry(for: key(number)) == entry(1)) }
        #expect(events.value.count { if case .dropped = $0 { true } else { false } } == 5)
        gate.open()
        await cache.flush()
        #expect(Set(upper.entries.keys) == Set((0..<16).map(key)))
        #expect(cache.fills.isEmpty, "lookups that are not stored are forgotten, too")
        #expect(try await cache.entry(for: key(16)) == entry(1))
        await cache.flush()
        #expect(upper.entries.count == 17)
    }

    @Test("an entry that is read while all are removed isn't stored in the upper level again")
    func removesDuringFill() async throws {
        try await lower.store(entry(1), for: key(1))
        let gate = TestGate()
        upper.hold(.store, at: gate)
        let cache = makeCache()
        #expect(try await cache.entry(for: key(1)) == entry(1))
        await gate.waitForArrivals(1)
        try await cache.removeAll()
        gate.open()
        await cache.flush()
        #expect(upper.entries.isEmpty)
    }

    @Test(
        "an entry that is read before a change of its key ends is not stored after it",
        arguments: InMemoryDataCache.Operation.allCases)
    func fillIsNotLate(_ change: InMemoryDataCache.Operation) async throws {
        try await lower.store(entry(1), for: key(1))
        let gate = TestGate()
        lower.hold(.entry, at: gate)
        let cache = makeCache()
        let lookup = Task { try await cache.entry(for: key(1)) }
        await gate.waitForArrivals(1)
        switch change {
        case .entry: break
        case .store: try await cache.store(entry(2), for: key(1))
        case .remove: try await cache.remove(for: key(1))
        case .removeAll: try await cache.removeAll()
        }
        // What the lookup reads is older than the change.
        await cache.flush()
        try await lower.store(entry(1), for: key(1))
        gate.open()
        _ = try await lookup.value
        await cache.flush()
        let kept = [InMemoryDataCache.Operation.entry: entry(1), .store: entry(2)]
        #expect(upper.entries[key(1)] == kept[change])
    }

    @Test("a newer entry that only fits into the lower level isn't replaced by an older one that waits")
    func olderWriteWaits() async throws {
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache { $0.maxConcurrentWrites = 1 }
        for key in [key(0), key(1)] { try await cache.store(entry(1), for: key) }
        await gate.waitForArrivals(1)
        upper.fail(.store, with: .noSpace)
        let newer = Task { try await cache.store(entry(2), for: key(1)) }
        await gate.waitForArrivals(2)
        gate.open()
        try await newer.value
        await cache.flush()
        #expect(lower.entries[key(1)] == entry(2))
    }

    @Test("writes that are replaced while they wait leave their space to others")
    func replacedWrites() async throws {
        let gate = TestGate()
        lower.hold(.store, at: gate)
        let cache = makeCache { ($0.maxConcurrentWrites, $0.pendingByteLimit) = (1, 20) }
        try await cache.store(entry(1), for: key(0))
        await gate.waitForArrivals(1)
        for seed in 1...9 { try await cache.store(entry(UInt8(seed)), for: key(1)) }
        gate.open()
        await cache.flush()
        #expect(events.value.isEmpty)
        #expect(lower.entries[key(1)] == entry(9))
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
        await #expect(throws: DataCacheError.io("upper")) { try await cache.entry(for: key(1)) }
        upper.recover()
        #expect(try await cache.entry(for: key(2)) == nil)
        await cache.flush()
        #expect(cache.fills.isEmpty)
    }

    @Test("if the upper level fails to store, the store waits for the lower one")
    func failedUpperStore() async throws {
        upper.fail(.store, with: .noSpace)
        let cache = makeCache()
        try await cache.store(entry(1), for: key(1))
        #expect(lower.entries == [key(1): entry(1)])
        #expect(events.value == [.failed(key(1), .upper, .noSpace)])
        lower.fail(.store, with: .io("lower"))
        await #expect(throws: DataCacheError.io("lower")) { try await cache.store(entry(1), for: key(1)) }
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
        await #expect(throws: DataCacheError.io("lower")) { try await makeCache().remove(for: key(1)) }
        #expect(upper.entries.isEmpty)
        upper.fail(.remove, with: .io("upper"))
        await #expect(throws: DataCacheError.io("upper")) { try await makeCache().remove(for: key(1)) }
    }
}
