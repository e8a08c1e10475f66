import Synchronization

/// The retries that transfers share. Each retry takes one; ten successful transfers add one.
///
/// Like gRPC's retry throttling (gRFC A6): if most transfers fail, retries only add load. A loader has one for its requests; some
/// requests may share another (`ImageRequest.retryBudget`).
public final class RetryBudget: Sendable {
    /// In tenths of a retry, so that no fraction is lost.
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
