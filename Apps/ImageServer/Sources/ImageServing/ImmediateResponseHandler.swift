import Foundation
import HTTPTypes
import ImageServerKit
import ImageTransporting
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Answers requests that need no waiting, for example for results in memory, on the event loop of the connection. All
/// others go on to Hummingbird, whose tasks change threads several times for each request.
///
/// Responses have the order of the requests: while Hummingbird answers one, those after it go to Hummingbird, too. So
/// do those of clients that read slowly, because Hummingbird waits for them.
final class ImmediateResponseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let handler: RequestHandler
    /// The time after which an idle connection is closed.
    private let idleTime: TimeAmount
    /// Whether each connection is for one request.
    private let closesAlways: Bool
    /// The response to the request that is being received.
    private var response: ServerResponse?
    /// The requests that Hummingbird has not answered.
    private var forwardedCount = 0
    /// The responses of this handler that are not written yet.
    private var pendingCount = 0
    /// Events that wait for them, because Hummingbird closes the connection then.
    private var delayedEvents: [Any] = []
    private var date = HTTPDateCache()
    private var client: String?
    private var lastActivity = NIODeadline.uptimeNanoseconds(0)
    private var idleTimer: Scheduled<Void>?

    init(_ handler: RequestHandler, idleTime: TimeAmount) {
        self.handler = handler
        closesAlways = idleTime == .zero
        self.idleTime = closesAlways ? Self.firstRequestTime : idleTime
    }

    func handlerAdded(context: ChannelHandlerContext) {
        client = context.channel.remoteAddress?.ipAddress
        lastActivity = context.eventLoop.now
        startIdleTimer(context, at: lastActivity + idleTime)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        idleTimer?.cancel()
        idleTimer = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            // The bytes of a body don't count: a client could send one a second forever.
            lastActivity = context.eventLoop.now
            // Older clients know no interim responses (RFC 9110, 15.2).
            if head.version == .http1_0 { head.headers.remove(name: "Expect") }
            if closesAlways || !head.isKeepAlive || head.mayHaveBody {
                head.headers.replaceOrAdd(name: "Connection", value: "close")
            }
            response = immediateResponse(to: head, context)
            if response != nil { return }
            forwardedCount += 1
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body:
            if response == nil { context.fireChannelRead(data) }
        case .end:
            guard let response else { return context.fireChannelRead(data) }
            self.response = nil
            write(response, context)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            forwardedCount -= 1
            lastActivity = context.eventLoop.now
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if pendingCount > 0 {
            delayedEvents.append(event)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { handler.reportMalformedRequest("\(error)", client: client) }
        context.fireErrorCaught(error)
    }

    /// Returns nil also if the connection ends after the request, because Hummingbird closes it.
    private func immediateResponse(to head: HTTPRequestHead, _ context: ChannelHandlerContext) -> ServerResponse? {
        guard forwardedCount == 0, context.channel.isWritable, head.isKeepAlive else { return nil }
        return ServerRequest(head, client: client).flatMap(handler.immediateResponse)
    }

    private func write(_ response: ServerResponse, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders(response.headers)
        headers.add(name: "Date", value: date.text)
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        for piece in response.pieces { context.write(wrapOutboundOut(.body(.byteBuffer(piece))), promise: nil) }
        let written = context.eventLoop.makePromise(of: Void.self)
        pendingCount += 1
        written.futureResult.assumeIsolated().whenComplete { _ in self.responseWritten(context) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    private func responseWritten(_ context: ChannelHandlerContext) {
        pendingCount -= 1
        lastActivity = context.eventLoop.now
        guard pendingCount == 0 else { return }
        let events = delayedEvents
        delayedEvents = []
        for event in events { context.fireUserInboundEventTriggered(event) }
    }

    private func startIdleTimer(_ context: ChannelHandlerContext, at deadline: NIODeadline) {
        idleTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            let isIdle = self.forwardedCount == 0 && self.pendingCount == 0
            let end = (isIdle ? self.lastActivity : context.eventLoop.now) + self.idleTime
            if end <= context.eventLoop.now { return context.close(promise: nil) }
            self.startIdleTimer(context, at: end)
        }
    }

    /// For the first request, if the connection has only one.
    private static let firstRequestTime = TimeAmount.seconds(60)
}

@available(*, unavailable)
extension ImmediateResponseHandler: Sendable {}

extension HTTPRequestHead {
    /// Whether `RawTargetHandler` doesn't know where the next request begins.
    fileprivate var mayHaveBody: Bool { RawTargetHandler.bodyFields.contains { headers.contains(name: $0) } }
}

extension ServerRequest {
    /// Creates a request from its head. Returns nil if the target is not a path, or the method not a token; then
    /// Hummingbird decides.
    fileprivate init?(_ head: HTTPRequestHead, client: String?) {
        guard head.uri.hasPrefix("/"), let method = HTTPRequest.Method(head.method.rawValue) else { return nil }
        self.init(
            method: method, target: head.uri, headers: HTTPFields(head.headers, splitCookie: false), client: client)
    }
}

/// The current date as text, formatted once a second.
struct HTTPDateCache {
    private var second = 0
    private var formatted = ""

    var text: String {
        mutating get {
            let now = Date()
            let second = Int(now.timeIntervalSince1970)
            if second != self.second {
                self.second = second
                formatted = HTTPDate.format(now)
            }
            return formatted
        }
    }
}
