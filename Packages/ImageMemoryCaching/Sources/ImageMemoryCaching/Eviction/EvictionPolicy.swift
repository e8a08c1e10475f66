/// How a cache chooses which entries to evict. The built-in policies are static members.
///
/// To write a policy of your own, implement `EvictionOrder`:
/// ```swift
/// extension EvictionPolicy {
///     static let mine = EvictionPolicy(name: "mine") { MyOrder() }
/// }
/// ```
public struct EvictionPolicy: Sendable, CustomStringConvertible {
    /// The name for tables and logs.
    public let name: String
    private let make: @Sendable () -> any EvictionOrder

    /// - Parameter make: creates an empty order for one cache.
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

    /// Evicts entries early that are used only once: new entries pass a small queue before the main one.
    ///
    /// A full cache refuses entries that are larger than a tenth of its limit.
    /// Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.
    public static let s3FIFO = EvictionPolicy(name: "S3-FIFO") { S3FIFOOrder() }

    /// Keeps an entry only if it is requested more often than the one that it would replace.
    ///
    /// Einziger, Friedman, Manes, "TinyLFU: A highly efficient cache admission policy", ACM Transactions on Storage 2017.
    public static let wTinyLFU = EvictionPolicy(name: "W-TinyLFU") { WTinyLFUOrder() }

    /// Evicts the least frequently used entry. Entries that were popular once stay.
    public static let lfu = EvictionPolicy(name: "LFU") { LFUOrder() }

    /// Evicts the oldest entry.
    public static let fifo = EvictionPolicy(name: "FIFO") { FIFOOrder() }

    /// Evicts the entry with the fewest uses for its cost. Refuses a new entry that would be evicted first.
    ///
    /// Greedy-dual-size-frequency: Cherkasova, HP Labs 1998.
    public static let gdsf = gdsf(networkWeight: 8)

    /// - Parameter networkWeight: how many times more expensive a download is than a read from disk. Above 0.
    public static func gdsf(networkWeight: Double) -> EvictionPolicy {
        precondition(networkWeight > 0, "the weight must be positive: \(networkWeight)")
        return EvictionPolicy(name: "GDSF") { GDSFOrder(networkWeight: networkWeight) }
    }

    /// Divides the limits between entries that are on disk and entries that must be downloaded. Both are evicted by LRU.
    /// - Parameter networkShare: the share for entries that must be downloaded, 0 to 1.
    public static func twoBudgets(networkShare: Double = 0.75) -> EvictionPolicy {
        EvictionPolicy(name: "two budgets") { TwoBudgetsOrder(networkShare: networkShare) }
    }
}
