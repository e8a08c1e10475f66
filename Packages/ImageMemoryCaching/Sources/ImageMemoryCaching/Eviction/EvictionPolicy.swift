/// A policy that chooses which entries a cache evicts. The built-in policies are static members.
///
/// To write your own policy, implement `EvictionOrder`:
/// ```swift
/// extension EvictionPolicy {
///     static let mine = EvictionPolicy(name: "mine") { MyOrder() }
/// }
/// ```
public struct EvictionPolicy: Sendable {
    /// The name in tables and logs.
    package let name: String
    /// Creates an empty order for one cache.
    package let makeOrder: @Sendable () -> any EvictionOrder

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - name: The name in tables and logs.
    ///   - makeOrder: Creates an empty order for one cache.
    public init(name: String, makeOrder: @escaping @Sendable () -> any EvictionOrder) {
        self.name = name
        self.makeOrder = makeOrder
    }
}

extension EvictionPolicy {
    /// The default of caches, which can change in a later version: `gdsf`.
    public static let standard = gdsf

    /// Evicts the least recently used entry.
    public static let lru = EvictionPolicy(name: "LRU") { LRUOrder() }

    /// Evicts the least frequently used entry. Formerly popular entries stay.
    public static let lfu = EvictionPolicy(name: "LFU") { LFUOrder() }

    /// Evicts entries that are used only once early, because new entries enter a small queue before the main one.
    ///
    /// A full cache refuses entries that are larger than a tenth of its limit.
    /// Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.
    public static let s3FIFO = EvictionPolicy(name: "S3-FIFO") { S3FIFOOrder() }

    /// Evicts the entry with the fewest uses for its cost. Refuses a new entry that would be evicted first.
    ///
    /// Greedy-dual-size-frequency: Cherkasova, HP Labs 1998.
    public static let gdsf = gdsf(preferredWeight: 8)

    /// Returns GDSF with another weight.
    /// - Parameter preferredWeight: How much more a preferred entry is worth than an expendable one. Values
    ///   that are not above 0, and NaN, count as 1.
    public static func gdsf(preferredWeight: Double) -> EvictionPolicy {
        let weight = preferredWeight > 0 ? preferredWeight : 1
        return EvictionPolicy(name: "GDSF") { GDSFOrder(preferredWeight: weight) }
    }

    /// Divides the limits between preferred and expendable entries, so that neither kind evicts the other. Both are evicted
    /// by LRU.
    /// - Parameter preferredShare: The share for preferred entries, from 0 to 1. Other values are clamped.
    public static func twoBudgets(preferredShare: Double = 0.75) -> EvictionPolicy {
        EvictionPolicy(name: "two budgets") { TwoBudgetsOrder(preferredShare: preferredShare) }
    }
}
