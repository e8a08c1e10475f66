import ImageMemoryCaching
import ImageTesting
import Testing

@testable import EvictionStudy

@Suite("Policy simulation")
struct SimulationTests {
    @Test("LRU in the memory cache has as many hits as a reference implementation", arguments: [1, 7, 40])
    func lru(_ count: Int) {
        let trace = Self.trace(seed: 1, keys: 60, accesses: 2_000)
        var order: [Int] = []
        var hits = 0
        for access in trace.accesses {
            if let index = order.firstIndex(of: access.key) {
                hits += 1
                order.remove(at: index)
            } else if order.count == count {
                order.removeFirst()
            }
            order.append(access.key)
        }
        #expect(trace.hits(of: .lru, Self.entries(count, of: trace)).ofLookups == Double(hits) / 2_000)
    }

    @Test("the optimum has as many hits as exhaustive search", arguments: 1...20)
    func optimum(_ seed: UInt64) {
        let trace = Self.trace(seed: seed, keys: 5, accesses: 12)
        let best = Self.mostHits(trace.accesses.map(\.key)[...], kept: [], capacity: 2)
        #expect(trace.hitsOfOptimum(Self.entries(2, of: trace)).ofLookups == Double(best) / 12)
    }

    @Test("no policy that admits every entry beats the optimum", arguments: [EvictionPolicy.lru, .lfu])
    func bound(_ policy: EvictionPolicy) {
        let trace = Self.trace(seed: 3, keys: 200, accesses: 5_000)
        for count in [5, 20, 100] {
            let capacity = Self.entries(count, of: trace)
            #expect(trace.hits(of: policy, capacity).ofLookups <= trace.hitsOfOptimum(capacity).ofLookups)
        }
    }

    @Test("with a capacity in bytes, entries that exceed it never hit, and others do")
    func bytes() {
        let trace = Trace(name: "a", [("a", 10), ("b", 100), ("a", 10), ("b", 100)].map { (name: $0.0, size: $0.1) })
        let capacity = Capacity(0.5, of: trace, inBytes: true)
        #expect(capacity.limit == 55 && Capacity(0.01, of: trace, inBytes: false).limit == 1)
        for hits in [trace.hits(of: .lru, capacity), trace.hitsOfOptimum(capacity)] {
            #expect(hits == HitRatios(ofLookups: 0.25, ofBytes: 10.0 / 220))
        }
    }

    @Test("a simulated feed depends only on its seed, and accesses avatars and thumbnails equally often")
    func feed() {
        let accesses = FeedScroll(seed: 1).trace("feed").accesses
        #expect(accesses == Trace.simulated[0].accesses && accesses != FeedScroll(seed: 2).trace("other").accesses)
        let avatars = accesses.count { $0.size == 96 * 96 * 4 }
        let full = accesses.count { $0.size > 300 * 400 * 4 }
        #expect(2 * avatars + full == accesses.count && full > 0)
    }

    @Test("the tables have a row for each trace and capacity, and name every policy")
    func tables() {
        let traces = [Self.trace(seed: 1, keys: 40, accesses: 500), FeedScroll(seed: 1, sessions: 10).trace("short")]
        let lines = EvictionStudy(traces, policies: [.lru, .gdsf]).markdown.split(separator: "\n")
        #expect(lines[0] == "| trace, share of distinct keys | LRU | GDSF | optimum |")
        #expect(lines.count { $0.contains("short") } == 5 && lines.count { $0.contains("random") } == 3)
    }

    private static func entries(_ count: Int, of trace: Trace) -> Capacity {
        Capacity((Double(count) + 0.5) / Double(trace.sizes.count), of: trace, inBytes: false)
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
            (0..<accesses).map { _ in
                let bound = Int.random(in: 1...keys, using: &random)
                return (name: Int.random(in: 0..<bound, using: &random), size: 1)
            })
    }
}
