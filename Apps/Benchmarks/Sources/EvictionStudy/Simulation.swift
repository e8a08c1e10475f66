import ImageMemoryCaching

/// The share of look-ups, and of the requested bytes, that are hits, from 0 to 1.
struct HitRatios: Hashable {
    var ofLookups: Double
    var ofBytes: Double
}

/// The limit of a simulated cache: a share of the distinct keys or bytes of a trace, rounded down, but at least 1.
struct Capacity {
    let share: Double
    let isInBytes: Bool
    let limit: Int

    init(_ share: Double, of trace: Trace, inBytes: Bool) {
        self.share = share
        isInBytes = inBytes
        limit = max(1, Int(share * Double(inBytes ? trace.sizes.reduce(0, +) : trace.sizes.count)))
    }

    /// Returns the cost of an accessed entry.
    func cost(of access: Trace.Access) -> Int { isInBytes ? access.size : 1 }
}

/// A key with the same hash value in every run. This makes simulations of policies that use hashes reproducible.
private struct TraceKey: Hashable {
    var number: Int

    var hashValue: Int {
        let bits = UInt64(truncatingIfNeeded: number &* 0x2545_F491_4F6C_DD1D)
        let product = bits.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension Trace {
    /// Runs the trace through the real memory cache. Inserts an entry after each miss.
    func hits(of policy: EvictionPolicy, _ capacity: Capacity) -> HitRatios {
        let limits = capacity.isInBytes ? CacheLimits(cost: capacity.limit) : CacheLimits(count: capacity.limit)
        let cache = MemoryCache<TraceKey, Void>(limits: limits, policy: policy)
        return count { access, _ in
            let key = TraceKey(number: access.key)
            if cache.value(for: key) != nil { return true }
            cache.insert((), cost: capacity.cost(of: access), for: key)
            return false
        }
    }

    /// Returns the hits of a cache that evicts the entry whose next access is furthest in the future.
    ///
    /// This is Belady's MIN (L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems
    /// Journal 5, 1966). For a limit by bytes it is only a good estimate, because the true optimum is NP-hard.
    func hitsOfOptimum(_ capacity: Capacity) -> HitRatios {
        // Keys that aren't accessed again get numbers after the last access.
        var (next, latest) = ([Int](repeating: 0, count: accesses.count), [Int: Int]())
        for (index, access) in accesses.enumerated().reversed() {
            next[index] = latest[access.key] ?? accesses.count + index
            latest[access.key] = index
        }
        var space = capacity.limit
        // The costs of the kept entries by their next access, and an upper bound of these.
        var (costs, last) = ([Int](repeating: 0, count: 2 * accesses.count), 0)
        return count { access, index in
            let (isHit, cost) = (costs[index] > 0, capacity.cost(of: access))
            space += costs[index]
            costs[index] = 0
            guard cost <= capacity.limit else { return isHit }
            while space < cost {
                while costs[last] == 0 { last -= 1 }
                space += costs[last]
                costs[last] = 0
            }
            costs[next[index]] = cost
            last = max(last, next[index])
            space -= cost
            return isHit
        }
    }

    private func count(_ isHit: (Access, _ index: Int) -> Bool) -> HitRatios {
        var (hits, hitBytes, bytes) = (0, 0, 0)
        for (index, access) in accesses.enumerated() {
            bytes += access.size
            guard isHit(access, index) else { continue }
            hits += 1
            hitBytes += access.size
        }
        return HitRatios(ofLookups: Double(hits) / Double(accesses.count), ofBytes: Double(hitBytes) / Double(bytes))
    }
}
