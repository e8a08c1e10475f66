/// Why waiters get an error that their work did not throw in these words.
public enum CoalescingFailure: Error, Hashable, Sendable {
    /// The work threw `CancellationError` although it was not cancelled: somebody waited for it.
    case workCancelledItself
}

extension CoalescingFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .workCancelledItself: "the shared work ended itself as cancelled while somebody waited for it"
        }
    }
}
