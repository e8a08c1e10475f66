/// Tells how something stands around the loader, and when that changes: the application, the network.
///
/// Promises:
/// - `condition` may be asked from any thread and returns at once.
/// - Every handler is told each change, in order, one call at a time; what stays as it is is not told again.
/// - A handler is called with no lock held. It may ask the monitor, observe and cancel.
/// - What changes after an observation was cancelled, or let go, is not told to its handler.
public protocol ConditionMonitor<Condition>: Sendable {
    associatedtype Condition: Hashable & Sendable

    /// How it stands now, as far as the monitor knows.
    var condition: Condition { get }

    /// Calls `handler` with each change from now on, until the observation is cancelled or let go. Handlers return quickly.
    func observe(_ handler: @escaping @Sendable (Condition) -> Void) -> MonitorObservation
}

/// Whether anybody sees the application.
public enum ApplicationState: String, Sendable, CaseIterable {
    case foreground
    /// Nobody does, and the platform may stop the process soon.
    case background
}

/// Whether there is a way to any network. That there is one does not mean that an origin can be reached.
public enum Connectivity: String, Sendable, CaseIterable {
    case online
    case offline
}

/// Keeps a handler with a monitor for as long as it lives.
public final class MonitorObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    /// - Parameter onCancel: takes the handler away; may be called more than once.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Ends it. Once is enough; more do nothing.
    public func cancel() { onCancel() }
}
