import ImageTesting
import Testing

@testable import ImageMemoryCaching

@Suite("Stress of the memory cache, also for the thread sanitizer")
struct MemoryCacheStressTests {
    @Test(
        "while several threads use all operations, limits are never exceeded, and counts match the contents",
        arguments: PolicyCase.policies)
    func survivesEverythingAtOnce(_ policy: EvictionPolicy) async {
        let cache = MemoryCache<Int, Box>(
            limits: CacheLimits(cost: 500, count: 60), policy: policy, clock: ManualClock(), lifetime: nil,
            makeReference: WeakIndex<Int, Box>.weakReference)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask { Self.use(cache, seed: UInt64(task)) }
            }
        }
        let found = (0..<100).compactMap { cache.value(for: $0) }
        #expect(found.allSatisfy { $0.number % 100 == $0.key })
        cache.trim(toCost: 0)
        cache.trim(count: 0)
        #expect((cache.totalCost, cache.count) == (0, 0))
    }

    private static func use(_ cache: MemoryCache<Int, Box>, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var held: [Box] = []
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<100, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50: if let found = cache.value(for: key) { held.append(found) }
            case 50..<90:
                cache.insert(
                    Box(key: key, number: key + 100 * step), cost: Int.random(in: 0..<40, using: &random), for: key)
            case 90..<94: cache.removeValue(for: key)
            case 94..<96: cache.trim(toCost: 200)
            case 96: cache.limits.entryCost = Int.random(in: 20..<40, using: &random)
            case 97: cache.removeAll { other, _ in other == key }
            default: if key < 10 { cache.removeAll() }
            }
            if held.count > 10 { held.removeFirst() }
            #expect(cache.totalCost <= 500)
            #expect(cache.count <= 60)
        }
    }

    private final class Box: Sendable {
        let key: Int
        let number: Int

        init(key: Int, number: Int) { (self.key, self.number) = (key, number) }
    }
}
