#if AsyncHTTPClient
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1

    /// Ends an HTTP/1.1 connection whose server sends bytes without end that belong to no header field and no body, such
    /// as a reason phrase, a chunk extension or informational responses. SwiftNIO limits header fields and trailers only.
    ///
    /// Counts the bytes from which its decoder makes no final head, body or end.
    enum FramingByteLimit {
        /// The limit of SwiftNIO for a head and for trailers.
        static let bytes = 2 << 20

        static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                let parts = PartObserver()
                try pipeline.addHandler(ByteCounter(parts), position: .before(decoder))
                try pipeline.addHandler(parts, position: .after(decoder))
            }
        }

        private final class ByteCounter: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer

            private let parts: PartObserver
            private var count = 0

            init(_ parts: PartObserver) { self.parts = parts }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                count += unwrapInboundIn(data).readableBytes
                parts.hasPart = false
                context.fireChannelRead(data)
                if parts.hasPart { count = 0 }
                guard count > bytes else { return }
                context.fireErrorCaught(HTTPParserError.headerOverflow)
                context.close(promise: nil)
            }
        }

        /// Stands behind the decoder.
        private final class PartObserver: ChannelInboundHandler {
            typealias InboundIn = HTTPClientResponsePart

            var hasPart = false

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                if !isInformational(unwrapInboundIn(data)) { hasPart = true }
                context.fireChannelRead(data)
            }

            private func isInformational(_ part: HTTPClientResponsePart) -> Bool {
                if case .head(let head) = part { head.status.code < 200 } else { false }
            }
        }
    }
#endif
