import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client reads nothing for a time, so that it holds no memory.
final class StalledWriteHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    private var pendingWrites = 0
    /// When a write was started or completed last.
    private var lastProgress = NIODeadline.uptimeNanoseconds(0)
    private var timer: Scheduled<Void>?

    init(limit: TimeAmount) { self.limit = limit }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise()
        let eventLoop = context.eventLoop
        if pendingWrites == 0 { lastProgress = eventLoop.now }
        pendingWrites += 1
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.pendingWrites -= 1
            self.lastProgress = eventLoop.now
        }
        context.write(data, promise: promise)
        if timer == nil { startTimer(context, at: eventLoop.now + limit) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
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
