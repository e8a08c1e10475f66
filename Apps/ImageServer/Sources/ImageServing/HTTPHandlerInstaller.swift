import NIOCore
import NIOHTTPTypesHTTP1

/// Adds the handlers that see a request before it has Hummingbird's types, in front of those that are there already.
final class HTTPHandlerInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let handlers: [any ChannelHandler]

    /// - Parameter handlers: The handlers of NIO's types, in the order in which they see a request.
    init(_ handlers: [any ChannelHandler]) { self.handlers = handlers }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandlers([FramingRuleHandler()] + handlers, position: .before(codec))
            try pipeline.addHandler(RawTargetHandler(), position: .first)
        } catch {
            // Without these handlers, requests could be read in another way than a proxy reads them.
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension HTTPHandlerInstaller: Sendable {}
