/// A policy that chooses which entries a cache evicts. The built-in policies are static members.
///
/// To write your own policy, implement `EvictionOrder`:
/// ```swift
/// extension EvictionPolicy {
///     static let mine = EvictionPolicy(name: "mine") { MyOrder() }
/// }
/// ```
public struct EvictionPolicy: Sendable, CustomStringConvertible {
    /// The name in tables and logs.
    public let name: String
    private let make: @Sendable () -> any EvictionOrder

    /// - Parameter make: Creates an empty order for one cache.
    public init(name: String, make: @escaping @Sendable () -> any EvictionOrder) {
        self.name = name
        self.make = make
    }

    public var description: String { name }

    /// Creates an empty order for one cache.
    public func makeOrder() -> any EvictionOrder { make() }
}

extension EvictionPolicy {
    /// Evicts the least recently used entry.
    public static let lru = EvictionPolicy(name: "LRU") { LRUOrder() }

    /// Evicts the oldest entry that was not used since the last check of it.
    ///
    /// Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024.
    public static let sieve = EvictionPolicy(name: "SIEVE") { SIEVEOrder() }

    /// Evicts entries that are used only once early, because new entries enter a small queue before the main one.
    ///
    /// A full cache refuses entries that are larger than a tenth of its limit.
    /// Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.
    public static let s3FIFO = EvictionPolicy(name: "S3-FIFO") { S3FIFOOrder() }

    /// Admits an entry only if it is requested more often than the one that it would replace.
    ///
    /// Einziger et al., "TinyLFU: A highly efficient cache admission policy", ACM Transactions on Storage 2017.
    public static let wTinyLFU = EvictionPolicy(name: "W-TinyLFU") { WTinyLFUOrder() }

    /// Evicts the least frequently used entry. Formerly popular entries stay.
    public static let lfu = EvictionPolicy(name: "LFU") { LFUOrder() }

    /// Evicts the oldest entry.
    public static let fifo = EvictionPolicy(name: "FIFO") { FIFOOrder() }

    /// Evicts the entry with the fewest uses for its cost. Refuses a new entry that would be evicted first.
    ///
    /// Greedy-dual-size-frequency: Cherkasova, HP Labs 1998.
    public static let gdsf = gdsf(networkWeight: 8)

    /// Returns GDSF with another weight.
    /// - Parameter networkWeight: The cost of a download relative to that of a read from disk. Values
    ///   that are not above 0, and NaN, count as 1.
    public static func gdsf(networkWeight: Double) -> EvictionPolicy {
        let weight = networkWeight > 0 ? networkWeight : 1
        return EvictionPolicy(name: "GDSF") { GDSFOrder(networkWeight: weight) }
    }

    /// Divides the limits between entries that are on disk and entries that must be downloaded. Both are evicted by
    /// LRU.
    /// - Parameter networkShare: The share for entries that must be downloaded, from 0 to 1. Other values are clamped.
    public static func twoBudgets(networkShare: Double = 0.75) -> EvictionPolicy {
        EvictionPolicy(name: "two budgets") { TwoBudgetsOrder(networkShare: networkShare) }
    }
}
