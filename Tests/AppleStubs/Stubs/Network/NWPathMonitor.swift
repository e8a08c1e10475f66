// The API that NetworkConnectivityMonitor and NetworkCostMonitor need.
@_exported public import Dispatch
import Synchronization

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }

    public let status: Status
    public var isExpensive = false
    public var isConstrained = false
}

/// Sendable in the SDK of Xcode 27. Here it is not, as in older SDKs, which accept less.
public final class NWPathMonitor {
    public init() {}
    @preconcurrency public final var pathUpdateHandler: (@Sendable (NWPath) -> Void)?

    public func start(queue: DispatchQueue) {
        guard let pathUpdateHandler else { return }
        let id = ObjectIdentifier(self)
        NetworkStub.handlers.withLock { $0[id] = (queue, pathUpdateHandler) }
    }

    public func cancel() {
        let id = ObjectIdentifier(self)
        NetworkStub.handlers.withLock { $0[id] = nil }
    }
}

/// Changes the network in tests.
public enum NetworkStub {
    fileprivate static let handlers = Mutex<[ObjectIdentifier: (DispatchQueue, @Sendable (NWPath) -> Void)]>([:])

    /// The number of monitors that observe.
    public static var observingCount: Int { handlers.withLock { $0.count } }

    /// Reports a path to all monitors, on their queues. Returns when they have handled it.
    public static func change(_ status: NWPath.Status) {
        for (queue, handler) in handlers.withLock({ Array($0.values) }) {
            queue.sync { handler(NWPath(status: status)) }
        }
    }
}
