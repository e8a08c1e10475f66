import Foundation
import HTTPTypes
import Hummingbird
import ImageServerKit
import NIOCore
import NIOHTTPTypes

/// Passes the requests of Hummingbird to a `RequestHandler`.
struct ImageResponder: HTTPResponder {
    /// The context of a request, with its connection.
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    let handler: RequestHandler
    let departures: ClientDepartures

    func respond(to request: Request, context: Context) async throws -> Response {
        let received = ServerRequest(request.head, client: context.channel.remoteAddress?.ipAddress)
        if let response = handler.immediateResponse(to: received) { return Response(response) }
        if received.headers[.expect]?.lowercased() == "100-continue" {
            context.channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
        }
        // If the client leaves, its share of the work is cancelled.
        return Response(
            await departures.cancelling(on: context.channel) { [handler] in await handler.response(to: received) })
    }
}

/// Answers `/metrics` at a port of its own.
struct MetricsResponder: HTTPResponder {
    let handler: RequestHandler

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard request.uri.path == "/metrics", request.method == .get else { return Response(status: .notFound) }
        return Response(handler.metricsResponse(accept: request.headers[.accept]))
    }
}

extension Response {
    init(_ response: ServerResponse) {
        self.init(
            status: .init(code: response.status), headers: response.headers, body: Self.body(response))
    }

    private static func body(_ response: ServerResponse) -> ResponseBody {
        let pieces = response.pieces
        if pieces.count < 2 { return pieces.first.map(ResponseBody.init(byteBuffer:)) ?? ResponseBody() }
        return ResponseBody(contentLength: response.body.count) { writer in
            for piece in pieces { try await writer.write(piece) }
            try await writer.finish(nil)
        }
    }
}

extension ServerRequest {
    init(_ head: HTTPRequest, client: String?) {
        self.init(method: head.method, target: head.path ?? "/", headers: head.headerFields, client: client)
    }
}

extension ServerResponse {
    /// The size of a piece of a large body. A client that reads a piece is not stalled.
    private static let pieceBytes = 128 << 10

    /// The body in pieces, without a copy of a result.
    var pieces: [ByteBuffer] {
        if body.isEmpty { return [] }
        let whole = sharedBody ?? ByteBuffer(bytes: body)
        if whole.readableBytes <= Self.pieceBytes { return [whole] }
        return stride(from: 0, to: whole.readableBytes, by: Self.pieceBytes).map { start in
            whole.part(start..<min(start + Self.pieceBytes, whole.readableBytes))
        }
    }
}
