/// The limits of a cache. They hold at all times. Negative values count as 0.
public struct CacheLimits: Hashable, Sendable {
    /// The maximum sum of all costs, in the unit that you use for `insert`. For images it is bytes.
    public var cost: Int { didSet { cost = max(0, cost) } }
    /// The maximum number of entries.
    public var count: Int { didSet { count = max(0, count) } }
    /// The maximum cost of one entry. A more expensive one is refused and evicts nothing.
    public var entryCost: Int { didSet { entryCost = max(0, entryCost) } }

    /// Creates limits. A limit that you don't set doesn't apply.
    public init(cost: Int = .max, count: Int = .max, entryCost: Int = .max) {
        self.cost = max(0, cost)
        self.count = max(0, count)
        self.entryCost = max(0, entryCost)
    }
}

extension CacheLimits {
    /// Returns a share of the cost and of the count, rounded down. Unlimited stays unlimited.
    func share(_ share: Double) -> CacheLimits {
        func part(of limit: Int) -> Int {
            let part = Double(limit) * share
            return limit == .max || part >= Double(limit) ? limit : Int(part)
        }
        return CacheLimits(cost: part(of: cost), count: part(of: count))
    }

    /// Returns the difference to limits that are not higher. Unlimited stays unlimited.
    func subtracting(_ other: CacheLimits) -> CacheLimits {
        CacheLimits(
            cost: cost == .max ? .max : cost - other.cost, count: count == .max ? .max : count - other.count)
    }
}
