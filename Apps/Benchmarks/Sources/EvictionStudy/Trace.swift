/// What was asked for, in order.
public struct Trace: Sendable {
    /// One look-up.
    public struct Access: Hashable, Sendable {
        /// Names what was asked for: 0 for the first new thing, then 1 and so on.
        public var key: Int
        /// What it costs to keep, at least 1.
        public var size: Int

        public init(key: Int, size: Int) {
            self.key = key
            self.size = size
        }
    }

    public let name: String
    public let accesses: [Access]
    /// How many different things were asked for.
    public let distinctCount: Int
    /// The sizes of all different things, each as at its first access.
    public let distinctBytes: Int
    /// Whether things differ in size.
    public let hasSizes: Bool

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

/// Gives numbers to names in the order of their first appearance.
struct KeyNumbers<Name: Hashable> {
    private var numbers: [Name: Int] = [:]

    mutating func number(of name: Name) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = numbers.count
        return numbers.count - 1
    }
}
