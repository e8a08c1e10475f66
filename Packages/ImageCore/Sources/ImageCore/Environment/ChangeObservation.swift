/// An observation of a condition or a priority. It ends when it is cancelled or released.
public final class ChangeObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Creates an observation.
    ///
    /// - Parameter onCancel: Removes the handler. May be called more than once.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Ends the observation. Further calls do nothing.
    public func cancel() { onCancel() }
}
