/// Evicts the least frequently used entry. Among equals, evicts the one that reached its number of uses first.
///
/// Shah, Mitra, Matani, "An O(1) algorithm for implementing the LFU cache eviction scheme", 2010.
struct LFUOrder: EvictionOrder {
    /// The entries with the same number of uses. The index of the bucket is the number of their list.
    private struct Bucket {
        var uses: Int
        var fewer: Int?
        var more: Int?
    }

    private var lists = SlotLists(count: 0)
    private var buckets: [Bucket] = []
    private var freeBuckets: [Int] = []
    /// The bucket with the fewest uses.
    private var first: Int?

    mutating func setLimits(_ limits: CacheLimits) {}

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        lists.append(slot, to: bucket(uses: 1, after: nil))
    }

    mutating func use(_ slot: Int) {
        let older = lists.list(of: slot)
        lists.move(slot, to: bucket(uses: buckets[older].uses + 1, after: older))
        removeIfEmpty(older)
    }

    mutating func remove(_ slot: Int) {
        lists.remove(slot)
        removeIfEmpty(lists.list(of: slot))
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? { coldest }

    var coldest: Int? { first.flatMap { lists.oldest(in: $0) } }

    /// Returns the bucket for a number of uses, which follows the bucket `fewer`. Adds it if necessary.
    private mutating func bucket(uses: Int, after fewer: Int?) -> Int {
        let more = fewer.map { buckets[$0].more } ?? first
        if let more, buckets[more].uses == uses { return more }
        let bucket = freeBuckets.popLast() ?? lists.addList()
        buckets.set(Bucket(uses: uses), at: bucket)
        connect(fewer, bucket)
        connect(bucket, more)
        return bucket
    }

    private mutating func removeIfEmpty(_ bucket: Int) {
        guard lists.oldest(in: bucket) == nil else { return }
        connect(buckets[bucket].fewer, buckets[bucket].more)
        freeBuckets.append(bucket)
    }

    private mutating func connect(_ fewer: Int?, _ more: Int?) {
        if let fewer { buckets[fewer].more = more } else { first = more }
        if let more { buckets[more].fewer = fewer }
    }
}
