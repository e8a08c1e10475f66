/// How a cache chooses what goes when room is needed, as a value: the built-in ones are its static members.
///
/// A policy of your own is an `EvictionOrder` and a line:
/// ```swift
/// extension EvictionPolicy {
///     static let mine = EvictionPolicy(name: "mine") { MyOrder() }
/// }
/// ```
public struct EvictionPolicy: Sendable, CustomStringConvertible {
    /// What it is called in the field, for tables and logs.
    public let name: String
    private let make: @Sendable () -> any EvictionOrder

    /// - Parameter make: makes the empty order of one cache; a cache of several parts has one for each.
    public init(name: String, make: @escaping @Sendable () -> any EvictionOrder) {
        self.name = name
        self.make = make
    }

    public var description: String { name }

    /// An empty order for one cache, or for one part of it.
    public func makeOrder() -> any EvictionOrder { make() }
}

extension EvictionPolicy {
    /// What was used least recently goes first.
    public static let lru = EvictionPolicy(name: "LRU") { LRUOrder() }

    /// One queue, and a hand that goes from old to new: it spares once what was used since it last came by.
    ///
    /// Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024.
    public static let sieve = EvictionPolicy(name: "SIEVE") { SIEVEOrder() }

    /// A small queue on probation, a main one, and the memory of what was evicted from the small one: what is asked for
    /// only once leaves soon. What is larger than a tenth of the budget is kept only while there is room without evicting.
    ///
    /// Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.
    public static let s3FIFO = EvictionPolicy(name: "S3-FIFO") { S3FIFOOrder() }

    /// A small window for what is new and a main part that takes only what was asked for more often than what it would replace.
    ///
    /// Einziger, Friedman, Manes, "TinyLFU: A highly efficient cache admission policy", ACM Transactions on Storage 2017.
    public static let wTinyLFU = EvictionPolicy(name: "W-TinyLFU") { WTinyLFUOrder() }

    /// What was used least often goes first. It never forgets what was popular once.
    public static let lfu = EvictionPolicy(name: "LFU") { LFUOrder() }

    /// What came first goes first: for a cache in which only age counts, with a time to live.
    public static let fifo = EvictionPolicy(name: "FIFO") { FIFOOrder() }

    /// What has the fewest uses for what it costs goes first, so that one large entry has to be worth many small ones; a new entry
    /// that would be the first to go is refused.
    ///
    /// Greedy-dual-size-frequency: Cherkasova, HP Labs 1998.
    public static let gdsf = gdsf(networkWeight: 8)

    /// - Parameter networkWeight: how much more it takes to get an entry again over the network than from disk; above 0.
    public static func gdsf(networkWeight: Double) -> EvictionPolicy {
        precondition(networkWeight > 0, "a weight is positive: \(networkWeight)")
        return EvictionPolicy(name: "GDSF") { GDSFOrder(networkWeight: networkWeight) }
    }

    /// A budget for what has to come over the network and one for what is on disk, each the least recently used first.
    /// - Parameter networkShare: of the limits, for what has to come over the network: 0 to 1.
    public static func twoBudgets(networkShare: Double = 0.75) -> EvictionPolicy {
        EvictionPolicy(name: "two budgets") { TwoBudgetsOrder(networkShare: networkShare) }
    }
}
