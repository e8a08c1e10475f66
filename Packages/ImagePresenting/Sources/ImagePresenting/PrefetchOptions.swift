import ImageCore

/// How far ahead to load. Distances are in items: rows of a list, cells of a grid.
public struct PrefetchOptions: Hashable, Sendable {
    /// The time to load ahead. It should be longer than a load takes.
    public var lead: Duration
    /// The minimum number of items to load ahead, even at rest. It is clamped to 0...10,000.
    public var minAhead: Int
    /// The maximum number of items to load ahead, at least `minAhead`. It is clamped to 0...10,000.
    public var maxAhead: Int
    /// The distance that counts as a reversal. Each movement back counts if it is not positive.
    public var reversalDistance: Double
    /// The time constant of the exponential mean of the velocity. A negative value counts as 0.
    public var smoothing: Duration

    /// The maximum number of items that are visible, and of those to load ahead.
    static let maximumItems = 10_000

    /// The options within their ranges.
    var limited: PrefetchOptions {
        var options = self
        options.minAhead = min(max(0, minAhead), Self.maximumItems)
        options.maxAhead = min(max(0, maxAhead), Self.maximumItems)
        options.lead = lead.limited
        options.smoothing = smoothing.limited
        return options
    }

    /// Creates options from the values of the properties.
    public init(
        lead: Duration = .milliseconds(500), minAhead: Int = 8, maxAhead: Int = 64,
        reversalDistance: Double = 2, smoothing: Duration = .milliseconds(100)
    ) {
        self.lead = lead
        self.minAhead = minAhead
        self.maxAhead = maxAhead
        self.reversalDistance = reversalDistance
        self.smoothing = smoothing
    }
}
