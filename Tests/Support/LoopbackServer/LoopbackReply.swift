/// A step of a scripted connection.
public enum LoopbackStep: Sendable {
    /// Sends these bytes unchanged.
    case bytes([UInt8])
    /// Sends this text as UTF-8.
    case text(String)
    /// Waits until the signal lets the connection continue, or the client disconnects.
    case wait(LoopbackSignal)
    /// Sends the bytes in chunks of `piece` bytes. Waits for the signal before each chunk.
    case drip([UInt8], piece: Int, LoopbackSignal)
    /// Waits for a duration, or until the client disconnects. Tests wait for a signal instead.
    case pause(Duration)
    /// Waits until the client ends the connection.
    case awaitDisconnect
    /// Closes the connection regularly (FIN).
    case close
    /// Resets the connection (RST).
    case reset
}

/// A complete response with a Content-Length.
public struct LoopbackResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields. They may include a Content-Length that isn't that of the body.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The head as text, including the blank line.
    public var head: String {
        let hasNoBody = status == 204 || status == 304 || (100..<200).contains(status)
        let length = hasNoBody ? [:] : ["Content-Length": "\(body.count)"]
        return LoopbackReply.head(status: status, headers: length.merging(headers) { $1 })
    }

    /// Returns the response of an origin with a strong entity tag, which supports ranges without an end: 206, 416 or 200.
    public static func resumable(
        _ body: [UInt8], tag: String, headers: [String: String] = [:], to request: LoopbackRequest
    ) -> LoopbackResponse {
        let headers = headers.merging(["ETag": tag]) { $1 }
        let isSame = request.headers["if-range"].map { $0 == tag } ?? true
        guard let start = request.rangeStart, isSame else { return LoopbackResponse(headers: headers, body: body) }
        let range = start < body.count ? "\(start)-\(body.count - 1)" : "*"
        let rangeHeaders = headers.merging(["Content-Range": "bytes \(range)/\(body.count)"]) { $1 }
        guard start < body.count else { return LoopbackResponse(status: 416, headers: rangeHeaders) }
        return LoopbackResponse(status: 206, headers: rangeHeaders, body: Array(body[start...]))
    }
}

/// The scripted reaction of a server to a request.
public struct LoopbackReply: Sendable {
    /// The steps, performed in order.
    public var steps: [LoopbackStep]

    /// Returns a reply that performs these steps in order.
    public static func steps(_ steps: [LoopbackStep]) -> LoopbackReply { LoopbackReply(steps: steps) }

    /// Returns a reply that sends a response.
    ///
    /// - Parameter cut: The number of body bytes after which the connection is closed. `nil` sends the complete body.
    public static func response(_ response: LoopbackResponse, cut: Int? = nil) -> LoopbackReply {
        let sent = LoopbackStep.bytes(Array(response.head.utf8) + response.body.prefix(cut ?? response.body.count))
        return LoopbackReply(steps: [sent] + (cut == nil ? [] : [.close]))
    }

    /// Returns a complete response with a Content-Length.
    public static func response(
        status: Int, headers: [String: String] = [:], body: some Sequence<UInt8> = []
    ) -> LoopbackReply {
        response(LoopbackResponse(status: status, headers: headers, body: Array(body)))
    }

    /// Returns a 200 response with a complete body and its Content-Length.
    public static func ok(_ body: some Sequence<UInt8>, headers: [String: String] = [:]) -> LoopbackReply {
        response(status: 200, headers: headers, body: body)
    }

    /// A 404 response with a short text.
    public static var notFound: LoopbackReply { response(status: 404, body: "not found".utf8) }

    /// Returns a redirect with an empty body. Sends `location` unchanged.
    public static func redirect(to location: String, status: Int = 302) -> LoopbackReply {
        response(status: status, headers: ["Location": location])
    }

    /// Returns a response in chunked coding with one chunk per element.
    public static func chunked(_ pieces: [[UInt8]], headers: [String: String] = [:]) -> LoopbackReply {
        let start = head(status: 200, headers: headers.merging(["Transfer-Encoding": "chunked"]) { given, _ in given })
        let chunks = pieces.map { LoopbackStep.bytes(chunk($0)) }
        return LoopbackReply(steps: [.text(start)] + chunks + [.text("0\r\n\r\n")])
    }

    /// Returns a response head as text, including the blank line.
    public static func head(status: Int, headers: [String: String] = [:]) -> String {
        let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
        return "HTTP/1.1 \(status) \(reasons[status] ?? "Because")\r\n\(lines.joined())\r\n"
    }

    private static let reasons = [200: "OK", 304: "Not Modified", 404: "Not Found", 503: "Service Unavailable"]

    /// Returns a chunk of chunked coding.
    public static func chunk(_ piece: [UInt8]) -> [UInt8] {
        Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
    }
}
