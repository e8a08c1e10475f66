import Testing

@testable import ImageMemoryCaching

@Suite("Hashes of evicted keys")
struct GhostQueueTests {
    @Test("are limited by cost and number, the newest stay, and each is stored once")
    func limits() {
        var ghosts = GhostQueue()
        let limits = CacheLimits(cost: 10, count: 2)
        for hash: UInt64 in [1, 1, 2, 3, 4] { ghosts.append(hash, cost: 1, limits: limits) }
        ghosts.append(5, cost: 11, limits: limits)
        let stored = (1...5).map { ghosts.remove($0) }
        #expect(stored == [false, false, true, true, false])
        for hash: UInt64 in [1, 2] { ghosts.append(hash, cost: 6, limits: limits) }
        let costly = [ghosts.remove(1), ghosts.remove(2)]
        #expect(costly == [false, true])
    }

    @Test("a negative limit counts as 0")
    func negativeLimits() {
        var limits = CacheLimits()
        (limits.cost, limits.count, limits.entryCost) = (-1, -1, -1)
        #expect(limits == CacheLimits(cost: 0, count: 0, entryCost: 0))
    }

    @Test("a sum of costs doesn't overflow")
    func sum() { #expect(QueueFill().adding(.max).adding(1).cost == .max) }
}
