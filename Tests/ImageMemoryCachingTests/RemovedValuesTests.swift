import ImageTesting
import Synchronization
import Testing

@testable import ImageMemoryCaching

@Suite("Removed values of a memory cache")
struct RemovedValuesTests {
    @Test("removed values are released without the lock", arguments: Removal.allCases, [1, 2, 5])
    func releasesWithoutLock(_ removal: Removal, count: Int) {
        let clock = ManualClock()
        let cache = MemoryCache<Int, Visitor>(
            limits: CacheLimits(cost: 10), policy: .lru, clock: clock, lifetime: .seconds(10),
            makeReference: WeakIndex<Int, Visitor>.weakReference)
        let visits = VisitCount()
        for key in 0..<count {
            cache.insert(Visitor(cache, visits), cost: 10 / count, for: key)
        }
        if removal == .expiry { clock.advance(by: .seconds(10)) }
        remove(count, from: cache, by: removal, visits)
        #expect(visits.count == count)
    }

    enum Removal: CaseIterable {
        case eviction, replacement, refusal, removal, removalOfAll, predicate, expiry, trim, limit
    }

    private func remove(
        _ count: Int, from cache: MemoryCache<Int, Visitor>, by removal: Removal, _ visits: VisitCount
    ) {
        switch removal {
        case .eviction: cache.insert(Visitor(nil, visits), cost: 10, for: -1)
        case .replacement: for key in 0..<count { cache.insert(Visitor(nil, visits), for: key) }
        case .refusal: for key in 0..<count { cache.insert(Visitor(nil, visits), cost: 11, for: key) }
        case .removal: for key in 0..<count { cache.removeValue(for: key) }
        case .removalOfAll: cache.removeAll()
        case .predicate: cache.removeAll { key, _ in key < count }
        case .expiry: for key in 0..<count { _ = cache.value(for: key) }
        case .trim: cache.trim(count: 0)
        case .limit: cache.limits.cost = 0
        }
    }

    /// Calls the cache when it is deallocated.
    private final class Visitor: Sendable {
        private let cache: MemoryCache<Int, Visitor>?
        private let visits: VisitCount

        init(_ cache: MemoryCache<Int, Visitor>?, _ visits: VisitCount) {
            (self.cache, self.visits) = (cache, visits)
        }

        deinit {
            guard let cache else { return }
            visits.add(cache.count >= 0 && cache.value(for: -2) == nil ? 1 : 0)
        }
    }
}

private final class VisitCount: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add(_ more: Int) { number.withLock { $0 += more } }
}
