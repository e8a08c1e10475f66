import Foundation
import HTTPTypes
import Hummingbird
import ImageServerKit
import NIOCore

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
        let received = ServerRequest(
            method: request.method, target: request.head.path ?? "/", headers: request.headers,
            client: context.channel.remoteAddress?.ipAddress)
        if let response = handler.immediateResponse(to: received) { return Response(response) }
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
        return Response(handler.metricsResponse)
    }
}

extension Response {
    /// The size of a piece of a large body. A client that reads a piece is not stalled.
    private static let pieceBytes = 128 << 10

    init(_ response: ServerResponse) {
        self.init(
            status: .init(code: response.status), headers: response.headers, body: Self.body(response.body))
    }

    private static func body(_ data: Data) -> ResponseBody {
        if data.isEmpty { return ResponseBody() }
        if data.count <= pieceBytes { return ResponseBody(byteBuffer: ByteBuffer(bytes: data)) }
        return ResponseBody(contentLength: data.count) { writer in
            for start in stride(from: 0, to: data.count, by: pieceBytes) {
                let first = data.startIndex + start
                let piece = data[first..<min(first + pieceBytes, data.endIndex)]
                try await writer.write(ByteBuffer(bytes: piece))
            }
            try await writer.finish(nil)
        }
    }
}
