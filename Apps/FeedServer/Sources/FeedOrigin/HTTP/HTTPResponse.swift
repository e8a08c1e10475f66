/// An HTTP response. Responses share the bytes of the body, so that many clients can receive one image without a copy.
public struct HTTPResponse: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// The headers without `Date`, `Content-Length` and `Connection`, which are added when the response is sent.
    public var headers: [HTTPRequest.Field]
    /// The whole body.
    public var body: [UInt8]
    /// The part of `body` that is sent.
    public var range: Range<Int>

    /// Creates a response that sends the whole body.
    public init(status: Int = 200, headers: [HTTPRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
        range = 0..<body.count
    }

    /// Returns an error response with a JSON body: `{"error":"…"}`.
    public static func failure(_ status: Int, _ text: String) -> HTTPResponse {
        json(#"{"error":"\#(escaped(text))"}"#, status: status)
    }

    static func json(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                HTTPRequest.Field("Content-Type", "application/json; charset=utf-8"),
                HTTPRequest.Field("Cache-Control", "no-store"),
            ], body: Array(text.utf8))
    }

    /// Returns the value of the first header with a name. The comparison ignores case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Whether the response may have a body and `Content-Length`. 204 and 304 have neither (RFC 9110 section 8.6).
    var mayHaveBody: Bool { status != 304 && status != 204 && status >= 200 }

    /// Returns the bytes of the head, including the empty line.
    func head(date: String, contentLength: Int?, keepsAlive: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\nDate: \(date)\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if mayHaveBody, let contentLength { text += "Content-Length: \(contentLength)\r\n" }
        text += keepsAlive ? "\r\n" : "Connection: close\r\n\r\n"
        return Array(text.utf8)
    }

    static func reason(_ status: Int) -> String { reasons[status] ?? "Status \(status)" }

    private static let reasons: [Int: String] = [
        200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
        304: "Not Modified",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 410: "Gone", 413: "Content Too Large", 416: "Range Not Satisfiable",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported",
    ]
}

/// Escapes the text for a JSON string (RFC 8259 section 7).
func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case _ where scalar.value < 32:
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
