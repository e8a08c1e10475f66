/// What was used least often goes first; among equals, what has been at that number for longest.
///
/// A list of entries for each number of uses, and a list of these lists: Shah, Mitra, Matani, "An O(1) algorithm for
/// implementing the LFU cache eviction scheme", 2010.
struct LFUOrder: EvictionOrder {
    /// The entries with one number of uses. Its own number is that of its list of places.
    private struct Bucket {
        var uses: Int
        var fewer: Int
        var more: Int
    }

    private static var none: Int { -1 }

    /// With each place the number of its bucket.
    private var lists = PlaceLists<Int>(count: 0)
    private var buckets: [Bucket] = []
    private var freeBuckets: [Int] = []
    private var fewest = Self.none

    mutating func setLimits(_ limits: CacheLimits) {}

    mutating func insert(_ entry: EvictionCandidate, at place: Int) {
        let bucket = bucket(uses: 1, after: Self.none)
        lists.insert(bucket, at: place, to: bucket)
    }

    mutating func use(_ place: Int) {
        let older = lists[place]
        let bucket = bucket(uses: buckets[older].uses + 1, after: older)
        lists[place] = bucket
        lists.move(place, to: bucket)
        dropIfEmpty(older)
    }

    mutating func remove(_ place: Int) {
        lists.remove(place)
        dropIfEmpty(lists[place])
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? { coldest }

    var coldest: Int? { fewest == Self.none ? nil : lists.oldest(in: fewest) }

    func foreseeVictims(for incoming: EvictionCandidate, _ tell: (_ place: Int, _ distance: Int) -> Void) {
        lists.foresee(from: coldest, tell)
    }

    /// The bucket for a number of uses, which comes right after another one.
    private mutating func bucket(uses: Int, after fewer: Int) -> Int {
        let more = fewer == Self.none ? fewest : buckets[fewer].more
        if more != Self.none, buckets[more].uses == uses { return more }
        let bucket = freeBuckets.popLast() ?? addBucket()
        buckets[bucket] = Bucket(uses: uses, fewer: fewer, more: more)
        join(fewer, bucket)
        join(bucket, more)
        return bucket
    }

    private mutating func addBucket() -> Int {
        buckets.append(Bucket(uses: 0, fewer: Self.none, more: Self.none))
        return lists.addList()
    }

    private mutating func dropIfEmpty(_ bucket: Int) {
        guard lists.oldest(in: bucket) == nil else { return }
        join(buckets[bucket].fewer, buckets[bucket].more)
        freeBuckets.append(bucket)
    }

    private mutating func join(_ fewer: Int, _ more: Int) {
        if fewer == Self.none { fewest = more } else { buckets[fewer].more = more }
        if more != Self.none { buckets[more].fewer = fewer }
    }
}
