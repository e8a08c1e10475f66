/// Why a caller receives an error that its operation did not throw.
public enum CoalescingFailure: Error, Hashable, Sendable {
    /// The operation threw `CancellationError` although it was not cancelled.
    case operationCancelledItself
}

extension CoalescingFailure: CustomStringConvertible {
    public var description: String { "the shared operation threw CancellationError without being cancelled" }
}
