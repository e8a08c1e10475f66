import NIOCore
import NIOHTTP1
import Synchronization

/// The requests in progress whose clients are watched, by connection.
///
/// Hummingbird can cancel a request when its client leaves, but then closes the connection after the response.
final class ClientDepartures: Sendable {
    private let cancellations = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

    /// Runs work, and cancels it if the client of a connection leaves. A connection has one request at a time.
    func cancelling<Value: Sendable>(
        on channel: any Channel, _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let result = Task { await work() }
        let id = ObjectIdentifier(channel)
        cancellations.withLock { $0[id] = { result.cancel() } }
        defer { cancellations.withLock { _ = $0.removeValue(forKey: id) } }
        return await withTaskCancellationHandler {
            await result.value
        } onCancel: {
            result.cancel()
        }
    }

    /// Cancels the work for the client of a connection.
    func left(_ channel: any Channel) {
        let cancel = cancellations.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
        cancel?()
    }
}

/// Notices that the client of a connection has closed it, or its direction.
final class DepartureHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let departures: ClientDepartures

    init(_ departures: ClientDepartures) { self.departures = departures }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { departures.left(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        departures.left(context.channel)
        context.fireChannelInactive()
    }
}

@available(*, unavailable)
extension DepartureHandler: Sendable {}
