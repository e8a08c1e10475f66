/// A sequence of cache accesses.
public struct Trace: Sendable {
    /// A look-up.
    public struct Access: Hashable, Sendable {
        /// The key. Keys are numbered from 0 in the order of their first access.
        public var key: Int
        /// The size in bytes, at least 1.
        public var size: Int
    }

    /// The name in tables.
    public let name: String
    /// The accesses in order.
    public let accesses: [Access]
    /// The number of distinct keys.
    public let distinctCount: Int
    /// The total size of all distinct keys, each with the size of its first access.
    public let distinctBytes: Int
    /// Whether the sizes differ.
    public let hasSizes: Bool

    /// Creates a trace and computes its statistics.
    public init(name: String, accesses: [Access]) {
        self.name = name
        self.accesses = accesses
        var seen: Set<Int> = []
        var bytes = 0
        for access in accesses where seen.insert(access.key).inserted { bytes += access.size }
        distinctCount = seen.count
        distinctBytes = bytes
        hasSizes = accesses.contains { $0.size != accesses[0].size }
    }
}

/// Assigns numbers to names in the order of their first appearance, from 0.
struct KeyNumbers<Name: Hashable> {
    private var numbers: [Name: Int] = [:]

    mutating func number(of name: Name) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = numbers.count
        return numbers.count - 1
    }
}
