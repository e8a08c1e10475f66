import ImageCore

/// Counts waiters by priority, so that the maximum is known after each change without walking over them.
struct PriorityTally: Sendable {
    /// One for each priority, in a block that needs no memory of its own.
    private var counts = SIMD8<Int32>()

    /// Nil when nobody is counted.
    var maximum: RequestPriority? {
        for rawValue in (0...RequestPriority.veryHigh.rawValue).reversed() where counts[rawValue] > 0 {
            return RequestPriority(rawValue: rawValue)
        }
        return nil
    }

    mutating func add(_ priority: RequestPriority) { counts[priority.rawValue] += 1 }

    mutating func remove(_ priority: RequestPriority) { counts[priority.rawValue] -= 1 }
}
