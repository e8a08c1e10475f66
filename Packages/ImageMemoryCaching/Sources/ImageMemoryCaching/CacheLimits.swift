/// What a cache may keep. All hold at every moment, exactly; negative values count as 0.
public struct CacheLimits: Hashable, Sendable {
    /// What the costs of all entries may sum up to, in the unit of whoever inserts: bytes, for pictures.
    public var cost: Int { didSet { cost = max(0, cost) } }
    /// How many entries there may be.
    public var count: Int { didSet { count = max(0, count) } }
    /// What one entry may cost. A dearer one is refused and evicts nothing.
    public var entryCost: Int { didSet { entryCost = max(0, entryCost) } }

    public init(cost: Int = .max, count: Int = .max, entryCost: Int = .max) {
        self.cost = max(0, cost)
        self.count = max(0, count)
        self.entryCost = max(0, entryCost)
    }
}
