/// How much work a lane runs at once, and where.
public struct LaneConfiguration: Sendable {
    /// How many pieces of work run at once. 0 holds the lane until the limit is raised.
    public var limit: Int
    /// How many of them may name the same host; nil for no such limit. At least 1.
    public var perHostLimit: Int?
    /// The threads that the work prefers; nil for Swift's cooperative pool. Give processor-bound or blocking work its own.
    public var executor: (any TaskExecutor)?

    public init(limit: Int, perHostLimit: Int? = nil, executor: (any TaskExecutor)? = nil) {
        self.limit = limit
        self.perHostLimit = perHostLimit
        self.executor = executor
    }
}
