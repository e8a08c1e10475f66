// Stub declarations of the API that NetworkConnectivityMonitor needs. Each has a link to its page in Apple's reference.
@_exported public import Dispatch
import Synchronization

/// https://developer.apple.com/documentation/network/nwpath
public struct NWPath: Sendable {
    /// https://developer.apple.com/documentation/network/nwpath/status-swift.enum
    public enum Status: Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    /// https://developer.apple.com/documentation/network/nwpath/status-swift.property
    public let status: Status
}

/// Sendable in the SDK of Xcode 27. Here it is not, as in older SDKs, which accept less.
/// https://developer.apple.com/documentation/network/nwpathmonitor
public final class NWPathMonitor {
    /// https://developer.apple.com/documentation/network/nwpathmonitor/init()
    public init() {}

    /// https://developer.apple.com/documentation/network/nwpathmonitor/pathupdatehandler
    @preconcurrency public final var pathUpdateHandler: (@Sendable (NWPath) -> Void)?

    /// https://developer.apple.com/documentation/network/nwpathmonitor/start(queue:)
    public func start(queue: DispatchQueue) {
        guard let pathUpdateHandler else { return }
        let id = ObjectIdentifier(self)
        NetworkStub.handlers.withLock { $0[id] = (queue, pathUpdateHandler) }
    }

    /// https://developer.apple.com/documentation/network/nwpathmonitor/cancel()
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
