import NIOCore
import NIOHTTP1

/// Closes a connection whose client reads nothing for a time, so that it holds no memory.
final class StalledWriteHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limit: TimeAmount
    private let bodies: PendingBodies
    private var pendingWrites = 0
    /// When a write was started or completed last.
    private var lastProgress = NIODeadline.uptimeNanoseconds(0)
    private var timer: Scheduled<Void>?

    init(limit: TimeAmount, bodies: PendingBodies) {
        self.limit = limit
        self.bodies = bodies
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        // The end of each response is watched, too.
        if case .head = part { return context.write(data, promise: promise) }
        let promise = promise ?? context.eventLoop.makePromise()
        let eventLoop = context.eventLoop
        if pendingWrites == 0 { lastProgress = eventLoop.now }
        pendingWrites += 1
        let (body, channel) = (Self.body(part), context.channel)
        if let body { bodies.add(body, on: channel, at: eventLoop.now) }
        promise.futureResult.assumeIsolated().whenComplete { [bodies] _ in
            self.pendingWrites -= 1
            self.lastProgress = eventLoop.now
            if let body { bodies.remove(body, on: channel, at: eventLoop.now) }
        }
        context.write(data, promise: promise)
        if timer == nil { startTimer(context, at: eventLoop.now + limit) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    private static func body(_ part: HTTPServerResponsePart) -> ByteBuffer? {
        if case .body(.byteBuffer(let body)) = part { body } else { nil }
    }

    private func startTimer(_ context: ChannelHandlerContext, at deadline: NIODeadline) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            guard self.pendingWrites > 0 else { return }
            let end = self.lastProgress + self.limit
            if end <= context.eventLoop.now { context.close(promise: nil) } else { self.startTimer(context, at: end) }
        }
    }
}

@available(*, unavailable)
extension StalledWriteHandler: Sendable {}
