import Synchronization

/// The retries that many transfers have together: each takes one, and ten transfers that succeed bring one back.
///
/// As in gRPC's retry throttling (gRFC A6): where most transfers fail, retries only add to the load. A loader has one for its
/// requests; a page of requests may have one of its own (`ImageRequest.retryBudget`).
public final class RetryBudget: Sendable {
    /// In tenths of a retry, so that no fraction is lost.
    private static let retryCost = 10

    private let capacity: Int
    private let tenths: Mutex<Int>

    /// - Parameter capacity: the retries there are at first, and at most.
    public init(capacity: Int) {
        self.capacity = max(0, min(capacity, .max / Self.retryCost)) * Self.retryCost
        tenths = Mutex(self.capacity)
    }

    /// Takes a retry. False when there is none left.
    public func withdraw() -> Bool {
        tenths.withLock { tenths in
            guard tenths >= Self.retryCost else { return false }
            tenths -= Self.retryCost
            return true
        }
    }

    /// Notes a transfer that has succeeded.
    public func succeeded() { tenths.withLock { $0 = min(capacity, $0 + 1) } }
}
