import ImageMemoryCaching
import ImageTesting
import Testing

@testable import EvictionStudy

@Suite("Policy simulation")
struct SimulationTests {
    @Test("LRU in the memory cache has as many hits as a reference implementation", arguments: [1, 7, 40])
    func lru(_ capacity: Int) {
        let trace = Self.trace(seed: 1, keys: 60, accesses: 2_000)
        var order: [Int] = []
        var hits = 0
        for access in trace.accesses {
            if let index = order.firstIndex(of: access.key) {
                hits += 1
                order.remove(at: index)
            } else if order.count == capacity {
                order.removeFirst()
            }
            order.append(access.key)
        }
        #expect(Simulation.run(trace, .lru, .entries(capacity)).hitRatio == Double(hits) / 2_000)
    }

    @Test("the optimum has as many hits as exhaustive search", arguments: 1...20)
    func optimum(_ seed: UInt64) {
        let trace = Self.trace(seed: seed, keys: 5, accesses: 12)
        let best = Self.mostHits(trace.accesses.map(\.key)[...], kept: [], capacity: 2)
        #expect(Optimum.run(trace, .entries(2)).hitRatio == Double(best) / 12)
    }

    @Test("no policy that admits every entry beats the optimum", arguments: [EvictionPolicy.lru, .lfu])
    func bound(_ policy: EvictionPolicy) {
        let trace = Self.trace(seed: 3, keys: 200, accesses: 5_000)
        for capacity in [5, 20, 100] {
            let optimum = Optimum.run(trace, .entries(capacity)).hitRatio
            #expect(Simulation.run(trace, policy, .entries(capacity)).hitRatio <= optimum)
        }
    }

    @Test("with a capacity in bytes, entries that exceed it never hit, and others do")
    func bytes() {
        let accesses = [(0, 10), (1, 100), (0, 10), (1, 100)].map { Trace.Access(key: $0.0, size: $0.1) }
        let trace = Trace(name: "a", accesses: accesses)
        for outcome in [Simulation.run(trace, .lru, .bytes(50)), Optimum.run(trace, .bytes(50))] {
            #expect(outcome == Outcome(hitRatio: 0.25, byteHitRatio: 10.0 / 220))
        }
    }

    @Test("a capacity is a share of the distinct keys or bytes, rounded down, but at least 1")
    func capacity() {
        let accesses = [(0, 10), (1, 105), (0, 10)].map { Trace.Access(key: $0.0, size: $0.1) }
        let trace = Trace(name: "a", accesses: accesses)
        #expect(Capacity.share(0.5, of: trace, inBytes: true) == .bytes(57))
        #expect(Capacity.share(0.5, of: trace, inBytes: false) == .entries(1))
        #expect(Capacity.share(0.01, of: trace, inBytes: false) == .entries(1))
    }

    @Test("a simulated feed depends only on its seed")
    func feed() {
        var other = FeedScroll()
        other.seed = 2
        let trace = FeedScroll().trace(named: "feed")
        #expect(trace.accesses == FeedScroll().trace(named: "again").accesses)
        #expect(trace.accesses != other.trace(named: "other").accesses)
        #expect(trace.hasSizes)
    }

    @Test("a feed accesses avatars and thumbnails equally often, and full images rarely")
    func feedShape() {
        let parameters = FeedScroll()
        let accesses = parameters.trace(named: "feed").accesses
        let avatars = accesses.count { parameters.avatarBytes.contains($0.size) }
        let thumbnails = accesses.count { parameters.thumbnailBytes.contains($0.size) }
        let full = Double(accesses.count - avatars - thumbnails) / Double(thumbnails)
        #expect(avatars == thumbnails)
        #expect(abs(full - parameters.fullChance) < 0.005)
    }

    @Test("a study has a row for each trace and capacity, and its table names every policy")
    func study() {
        let traces = [Self.trace(seed: 1, keys: 40, accesses: 500), FeedScroll.short.trace(named: "short")]
        let study = EvictionStudy(traces, policies: [.lru, .gdsf], countShares: [0.1, 0.5], byteShares: [0.1])
        #expect(study.byCount.map(\.trace) == ["random", "random", "short", "short"])
        #expect(study.byBytes.map(\.trace) == ["short"])
        #expect(study.markdown.contains("LRU") && study.markdown.contains("GDSF"))
        #expect(study.markdown.split(separator: "\n").count == 11)
    }

    /// Returns the maximum number of hits over all choices of evicted entries.
    private static func mostHits(_ keys: ArraySlice<Int>, kept: Set<Int>, capacity: Int) -> Int {
        guard let key = keys.first else { return 0 }
        let rest = keys.dropFirst()
        if kept.contains(key) { return 1 + mostHits(rest, kept: kept, capacity: capacity) }
        if kept.count < capacity { return mostHits(rest, kept: kept.union([key]), capacity: capacity) }
        return kept.map { mostHits(rest, kept: kept.subtracting([$0]).union([key]), capacity: capacity) }.max() ?? 0
    }

    /// Returns a trace in which lower keys are more frequent.
    private static func trace(seed: UInt64, keys: Int, accesses: Int) -> Trace {
        var random = SeededRandom(seed: seed)
        return Trace(
            name: "random",
            accesses: (0..<accesses).map { _ in
                let bound = Int.random(in: 1...keys, using: &random)
                return Trace.Access(key: Int.random(in: 0..<bound, using: &random), size: 1)
            })
    }
}

extension FeedScroll {
    fileprivate static var short: FeedScroll {
        var scroll = FeedScroll()
        scroll.sessions = 10
        return scroll
    }
}
