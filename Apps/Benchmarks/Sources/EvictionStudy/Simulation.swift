public import ImageMemoryCaching

/// The result of a policy on a trace at a capacity.
public struct Outcome: Hashable, Sendable {
    /// The share of look-ups that were hits, from 0 to 1.
    public var hitRatio: Double
    /// The share of the requested bytes that were hits, from 0 to 1.
    public var byteHitRatio: Double
}

/// The limit of a simulated cache.
public enum Capacity: Hashable, Sendable {
    /// A maximum number of entries.
    case entries(Int)
    /// A maximum total size in bytes.
    case bytes(Int)

    /// Returns a share of the distinct keys or bytes of a trace, rounded down, but at least 1.
    public static func share(_ share: Double, of trace: Trace, inBytes: Bool) -> Capacity {
        let total = inBytes ? trace.distinctBytes : trace.distinctCount
        let part = max(1, Int(Double(total) * share))
        return inBytes ? .bytes(part) : .entries(part)
    }

    var limits: CacheLimits {
        switch self {
        case .entries(let count): CacheLimits(count: count)
        case .bytes(let bytes): CacheLimits(cost: bytes)
        }
    }

    /// Returns the cost of an accessed entry, in the unit of this capacity.
    func cost(of access: Trace.Access) -> Int {
        if case .bytes = self { access.size } else { 1 }
    }
}

/// Simulates eviction policies.
public enum Simulation {
    /// Runs a trace through the real memory cache. Inserts an entry after each miss.
    public static func run(_ trace: Trace, _ policy: EvictionPolicy, _ capacity: Capacity) -> Outcome {
        let cache = MemoryCache<TraceKey, Void>(limits: capacity.limits, policy: policy)
        return count(trace) { access in
            let key = TraceKey(number: access.key)
            if cache.value(for: key) != nil { return true }
            cache.insert((), cost: capacity.cost(of: access), for: key)
            return false
        }
    }

    static func count(_ trace: Trace, isHit: (Trace.Access) -> Bool) -> Outcome {
        var (hits, hitBytes, bytes) = (0, 0, 0)
        for access in trace.accesses {
            bytes += access.size
            guard isHit(access) else { continue }
            hits += 1
            hitBytes += access.size
        }
        return Outcome(
            hitRatio: Double(hits) / Double(trace.accesses.count), byteHitRatio: Double(hitBytes) / Double(bytes))
    }
}
