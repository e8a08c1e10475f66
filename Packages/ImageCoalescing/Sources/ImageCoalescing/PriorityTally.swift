import ImageCore

/// Counts waiters by priority, so that the maximum is known after each change without walking over them.
struct PriorityTally: Sendable {
    private var counts = [Int](repeating: 0, count: RequestPriority.allCases.count)

    /// Nil when nobody is counted.
    var maximum: RequestPriority? {
        counts.lastIndex { $0 > 0 }.flatMap(RequestPriority.init(rawValue:))
    }

    mutating func add(_ priority: RequestPriority) { counts[priority.rawValue] += 1 }

    mutating func remove(_ priority: RequestPriority) { counts[priority.rawValue] -= 1 }
}
