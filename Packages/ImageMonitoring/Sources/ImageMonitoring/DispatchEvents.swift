import Dispatch
public import ImageCore
import Synchronization

/// Calls a handler on a queue for each event of a source, until it is released.
final class DispatchEvents: Sendable {
    private let source: Mutex<any DispatchSourceProtocol>

    /// - Parameter onEnd: Called when no event is handled anymore.
    init(
        on queue: DispatchQueue = DispatchQueue(label: "system-condition"),
        of source: (DispatchQueue) -> sending any DispatchSourceProtocol, onEnd: @escaping @Sendable () -> Void = {},
        handler: @escaping @Sendable () -> Void
    ) {
        self.source = Mutex(source(queue))
        self.source.withLock { source in
            source.setEventHandler(handler: handler)
            source.setCancelHandler(handler: onEnd)
            source.activate()
        }
    }

    deinit { source.withLock { $0.cancel() } }
}

/// Why a monitor can't observe the system.
public struct MonitoringError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// What is missing or failed, for logs.
    public let reason: String

    /// Creates a failure.
    init(_ reason: String) { self.reason = reason }

    public var errorDescription: String? { description }
    public var description: String { "the system can't be observed: \(reason)" }
}
