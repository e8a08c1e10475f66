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
    private let make: @Sendable () -> sending any EvictionOrder

    /// - Parameter make: makes the empty order of one cache; a cache of several parts has one for each.
    public init(name: String, make: @escaping @Sendable () -> sending any EvictionOrder) {
        self.name = name
        self.make = make
    }

    public var description: String { name }

    /// An empty order for one cache, or for one part of it.
    public func makeOrder() -> sending any EvictionOrder { make() }
}

extension EvictionPolicy {
    /// What was used least recently goes first.
    public static let lru = EvictionPolicy(name: "LRU") { LRUOrder() }

    /// One queue, and a hand that goes from old to new: it spares once what was used since it last came by.
    ///
    /// Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024.
    public static let sieve = EvictionPolicy(name: "SIEVE") { SIEVEOrder() }

    /// A small queue on probation, a main one, and the memory of what was evicted from the small one: what is asked for
    /// only once leaves soon.
    ///
    /// Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.
    public static let s3FIFO = EvictionPolicy(name: "S3-FIFO") { S3FIFOOrder() }
}
