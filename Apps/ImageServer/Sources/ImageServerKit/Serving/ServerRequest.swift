package import Foundation
package import HTTPTypes
package import NIOCore

/// A request as the HTTP server received it.
package struct ServerRequest: Sendable {
    /// The method.
    package var method: HTTPRequest.Method
    /// The path, still percent-encoded, and the query.
    package let target: String
    /// The target without its query.
    package let path: Substring
    /// The header fields.
    package var headers: HTTPFields
    /// The address of the client, for logs; nil if it is not known.
    package var client: String?

    package init(method: HTTPRequest.Method, target: String, headers: HTTPFields = [:], client: String? = nil) {
        self.method = method
        self.target = target
        path = target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
        self.headers = headers
        self.client = client
    }

    /// Whether it is a health check.
    var isHealthCheck: Bool { Self.healthPaths.contains(path) }
    static let healthPaths: Set<Substring> = ["/health", "/health/live", "/health/ready"]

    /// Whether the request violates the rules for Host (RFC 9112, 3.2). The valid one is no header field here.
    var hasInvalidHost: Bool { headers.contains { $0.name.canonicalName == "host" } }
}

/// A response for the HTTP server to send.
package struct ServerResponse: Sendable {
    /// The status code.
    package var status: Int
    /// The header fields, with Content-Length.
    package var headers: HTTPFields
    /// The bytes of the body. Empty for HEAD.
    package var body: Data {
        didSet { sharedBody = nil }
    }
    /// The bytes of the body in memory that several responses share; nil if they don't.
    package private(set) var sharedBody: ByteBuffer?
    /// Why there is no result. It is not sent.
    var failure: ServiceFailure?

    init(status: Int, headers: HTTPFields = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        // A response without content has no length (RFC 9110, 8.6).
        if status != 204 { self.headers[.contentLength] = "\(body.count)" }
        self.body = body
    }

    /// Creates a response with a part of a result.
    init(status: Int, headers: HTTPFields, _ result: StoredResult, _ range: Range<Int>) {
        let start = result.data.startIndex
        self.init(
            status: status, headers: headers,
            body: result.data[start + range.lowerBound..<start + range.upperBound])
        sharedBody = result.buffer.part(range)
    }

    init(status: Int, text: String, type: String = "text/plain; charset=utf-8", headers: HTTPFields = [:]) {
        self.init(status: status, headers: headers, body: Data(text.utf8))
        self.headers[.contentType] = type
        self.headers[.xContentTypeOptions] = "nosniff"
    }

    /// The response to HEAD: the same header fields without the body.
    var withoutBody: ServerResponse {
        var response = self
        response.body = Data()
        return response
    }
}

extension ByteBuffer {
    /// Returns a part of the readable bytes, in the same memory. `getSlice` copies what begins above 16 MiB.
    package func part(_ range: Range<Int>) -> ByteBuffer {
        var part = self
        part.moveWriterIndex(to: readerIndex + range.upperBound)
        part.moveReaderIndex(forwardBy: range.lowerBound)
        return part
    }
}
