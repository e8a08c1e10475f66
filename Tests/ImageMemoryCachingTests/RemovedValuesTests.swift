import Synchronization
import Testing

@testable import ImageMemoryCaching

@Suite("What leaves a memory cache")
struct RemovedValuesTests {
    @Test("is deallocated where the cache can be used, however much leaves at once", arguments: [1, 2, 5])
    func deallocatesOutsideTheLocks(count: Int) {
        let cache = MemoryCache<Int, Visitor>(limits: CacheLimits(cost: 10))
        let visits = MessageCount()
        for key in 0..<count { cache.insert(Visitor(cache, visits), cost: 10 / count, for: key) }
        cache.insert(Visitor(nil, visits), cost: 10, for: -1)
        #expect(visits.count == count)
    }

    @Test("leaves room: the table of a cache that is full does not grow")
    func keepsItsTable() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 10))
        for key in 0..<10_000 { cache.insert(key, for: key) }
        #expect(cache.slotCount == 16)
    }

    /// Looks into the cache when it goes.
    private final class Visitor: Sendable {
        private let cache: MemoryCache<Int, Visitor>?
        private let visits: MessageCount

        init(_ cache: MemoryCache<Int, Visitor>?, _ visits: MessageCount) {
            (self.cache, self.visits) = (cache, visits)
        }

        deinit {
            guard let cache else { return }
            visits.add(cache.count >= 0 && cache.value(for: -2) == nil ? 1 : 0)
        }
    }
}

extension MemoryCache {
    fileprivate var slotCount: Int { books.withLock { $0.change { _, contents in contents.table.tags.count } } }
}

/// Counts from any thread.
private final class MessageCount: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add(_ more: Int) { number.withLock { $0 += more } }
}
