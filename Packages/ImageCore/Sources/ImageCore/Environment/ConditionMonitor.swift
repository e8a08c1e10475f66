/// Reports a condition of the environment and its changes: memory pressure, the network or the application's state.
///
/// Promises:
/// - `condition` can be read from any thread without waiting.
/// - Every handler receives each change, in order, one call at a time. A condition that lasts can be reported again, as
///   memory pressure is.
/// - Handlers are called with no lock held. They may read the condition, observe and cancel.
/// - After an observation was cancelled or released, its handler receives no new changes.
public protocol ConditionMonitor<Condition>: Sendable {
    /// The observed condition, for example `Connectivity`.
    associatedtype Condition: Hashable & Sendable

    /// The current condition.
    var condition: Condition { get }

    /// Calls `handler`, which must return quickly, with each later change until the observation ends.
    func observe(_ handler: @escaping @Sendable (Condition) -> Void) -> ChangeObservation
}

/// Levels of memory pressure, by urgency.
public enum MemoryPressureLevel: Comparable, Sendable, CaseIterable {
    /// There is enough memory.
    case normal
    /// Memory is short. Release a part of the caches and stop prefetching.
    case warning
    /// The system is about to end processes. Empty all caches.
    case critical
}

/// Whether the application is visible.
public enum ApplicationState: Sendable, CaseIterable {
    /// The application is visible.
    case foreground
    /// The application is not visible; the platform may suspend it soon.
    case background
}

/// What data costs on the network.
@nonexhaustive
public enum NetworkCost: Sendable, CaseIterable {
    /// Data costs nothing.
    case normal
    /// Data is metered or slow: a mobile network, a hotspot, or Low Data Mode.
    case high
}

/// Whether there is a network. A server may be unreachable nevertheless.
@nonexhaustive
public enum Connectivity: Sendable, CaseIterable {
    /// There is a network.
    case online
    /// There is no network.
    case offline
}
