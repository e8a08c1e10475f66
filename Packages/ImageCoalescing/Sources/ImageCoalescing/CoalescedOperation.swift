import ImageCore
import Synchronization

/// An operation with its callers and its value.
final class CoalescedOperation<Value: Sendable>: Sendable {
    /// Increases with each operation of the coalescer.
    let number: Int
    let callers = OperationCallers()
    private let result = Mutex<Value?>(nil)

    init(number: Int) { self.number = number }

    /// Returns the value, after a wait that succeeded. It is stored here, so that callers need no type parameter.
    func value() throws -> Value {
        guard let value = result.withLock({ $0 }) else { throw CancellationError() }
        return value
    }

    func succeed(_ value: Value) { result.withLock { $0 = value } }
}

/// Why a caller receives an error that its operation did not throw.
public enum CoalescingFailure: Error, Hashable, Sendable {
    /// The operation threw `CancellationError` although it was not cancelled.
    case operationCancelledItself
}

extension CoalescingFailure: CustomStringConvertible {
    public var description: String { "the shared operation threw CancellationError without being cancelled" }
}
