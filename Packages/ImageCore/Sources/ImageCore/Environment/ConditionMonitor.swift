/// Reports a condition of the environment and its changes: the state of the application or of the network.
///
/// Promises:
/// - `condition` can be read from any thread without waiting.
/// - Every handler receives each change, in order, one call at a time.
/// - Handlers are called with no lock held. They may read the condition, observe and cancel.
/// - After an observation was cancelled or released, its handler receives no new changes.
public protocol ConditionMonitor<Condition>: Sendable {
    /// The observed condition, for example `Connectivity`.
    associatedtype Condition: Hashable & Sendable

    /// The current condition.
    var condition: Condition { get }

    /// Calls `handler` with each later change until the observation is cancelled or released. Handlers must return
    /// quickly.
    func observe(_ handler: @escaping @Sendable (Condition) -> Void) -> MonitorObservation
}

/// Whether the application is visible.
public enum ApplicationState: String, Sendable, CaseIterable {
    /// The application is visible.
    case foreground
    /// The application is not visible; the platform may suspend it soon.
    case background
}

/// Whether there is a network. An origin may be unreachable nevertheless.
public enum Connectivity: String, Sendable, CaseIterable {
    /// There is a network.
    case online
    /// There is no network.
    case offline
}

/// An observation of a monitor. It ends when it is cancelled or released.
public final class MonitorObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    /// - Parameter onCancel: Removes the handler. May be called more than once.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Ends the observation. Further calls do nothing.
    public func cancel() { onCancel() }
}
