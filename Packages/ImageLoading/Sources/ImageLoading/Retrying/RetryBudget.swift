/// The retries that many transfers have together: each takes a token, each success brings back a part of one. Pure.
///
/// As in gRPC's retry throttling (gRFC A6): where most transfers fail, retries only add to the load.
struct RetryBudget {
    private static let tokensPerSuccess = 0.1

    private let capacity: Double
    private var tokens: Double

    /// Full at first.
    init(capacity: Int) {
        self.capacity = Double(capacity)
        tokens = self.capacity
    }

    /// False when there is nothing left to take.
    mutating func withdraw() -> Bool {
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    mutating func succeeded() { tokens = min(capacity, tokens + Self.tokensPerSuccess) }
}
