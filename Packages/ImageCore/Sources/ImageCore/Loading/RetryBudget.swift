import Synchronization

/// A number of retries that transfers share. Each retry takes one, and ten successful transfers add one.
///
/// It works like gRPC's retry throttling (gRFC A6): if most transfers fail, retries only add load. A loader has one
/// budget for its requests. Requests can share another one (`ImageRequest.retryBudget`).
public final class RetryBudget: Sendable {
    /// The cost of a retry in tenths, so that all counts are whole numbers.
    private static let retryCost = 10

    private let capacity: Int
    private let tenths: Mutex<Int>

    /// - Parameter capacity: The initial and maximum number of retries.
    public init(capacity: Int) {
        self.capacity = max(0, min(capacity, .max / Self.retryCost)) * Self.retryCost
        tenths = Mutex(self.capacity)
    }

    /// Takes a retry. Returns false if none is left.
    public func withdraw() -> Bool {
        tenths.withLock { tenths in
            guard tenths >= Self.retryCost else { return false }
            tenths -= Self.retryCost
            return true
        }
    }

    /// Records a successful transfer.
    public func succeeded() { tenths.withLock { $0 = min(capacity, $0 + 1) } }
}
