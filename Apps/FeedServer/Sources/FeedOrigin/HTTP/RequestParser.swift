/// Parses requests from the bytes of a connection. The chunks of bytes may contain a part of a request, or multiple
/// requests (pipelining).
///
/// After an error, the position of the next request is unknown: send an error response and close the connection.
public struct RequestParser: Sendable {
    /// The maximum size of a head or a body in bytes.
    public static let limit = 64 << 10

    private var buffer: [UInt8] = []
    private var position = 0
    private var scanned = 0
    /// The number of bytes of a request body that are not yet skipped.
    private var bodyLeft = 0

    /// Creates a parser for a new connection.
    public init() {}

    /// Whether a part of a request was received.
    public var isWithinRequest: Bool { position < buffer.count || bodyLeft > 0 }

    /// Adds received bytes.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0 {
            buffer.removeFirst(position)
            scanned -= position
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next complete request, or nil if more bytes are needed.
    ///
    /// Skips the bodies of requests.
    ///
    /// - Throws: `RequestFailure` if the request is invalid or too large.
    public mutating func next() throws(RequestFailure) -> HTTPRequest? {
        skipBody()
        guard bodyLeft == 0 else { return nil }
        skipEmptyLines()
        guard let end = endOfHead() else {
            if buffer.count - position > Self.limit { throw .headTooLarge }
            return nil
        }
        guard end - position <= Self.limit else { throw .headTooLarge }
        let lines = Self.lines(buffer[position..<end])
        position = end
        scanned = end
        let (request, bodyLength) = try Self.request(lines)
        bodyLeft = bodyLength
        skipBody()
        return request
    }

    private mutating func skipBody() {
        let skipped = min(bodyLeft, buffer.count - position)
        bodyLeft -= skipped
        position += skipped
        scanned = max(scanned, position)
    }

    /// Skips empty lines before a request (RFC 9112 section 2.2).
    private mutating func skipEmptyLines() {
        while position < buffer.count, buffer[position] == 13 || buffer[position] == 10 { position += 1 }
        scanned = max(scanned, position)
    }

    /// Returns the position after the empty line that ends the head. A line may end with only LF (RFC 9112 section
    /// 2.2).
    private mutating func endOfHead() -> Int? {
        while scanned < buffer.count {
            let index = scanned
            scanned += 1
            guard buffer[index] == 10, index > position else { continue }
            let before = buffer[index - 1] == 13 ? index - 2 : index - 1
            if before >= position, buffer[before] == 10 { return index + 1 }
        }
        return nil
    }

    private static func lines(_ head: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        head.split(separator: 10, omittingEmptySubsequences: true).compactMap { line in
            let text = line.last == 13 ? line.dropLast() : line
            return text.isEmpty ? nil : text
        }
    }

    private static func request(_ lines: [ArraySlice<UInt8>]) throws(RequestFailure) -> (HTTPRequest, bodyLength: Int) {
        guard let first = lines.first else { throw .malformed("no request line") }
        let (method, target, minor) = try requestLine(first)
        var headers: [HTTPRequest.Field] = []
        for line in lines.dropFirst() { headers.append(try header(line)) }
        try checkHost(headers, minor: minor)
        let connection = headers.filter { $0.name == "connection" }.map { $0.value.lowercased() }.joined(separator: ",")
        let keepsAlive = minor == 1 ? !connection.contains("close") : connection.contains("keep-alive")
        let request = try HTTPRequest(method: method, target: target, headers: headers, keepsAlive: keepsAlive)
        return (request, try bodyLength(headers))
    }

    private static func requestLine(_ line: ArraySlice<UInt8>) throws(RequestFailure) -> (String, String, minor: Int) {
        let parts = line.split(separator: 32, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("the request line must be METHOD TARGET VERSION") }
        let version = text(parts[2])
        guard version.hasPrefix("HTTP/") else { throw .malformed("the request line must end with HTTP/1.1") }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw .unsupportedVersion }
        guard !parts[0].isEmpty, parts[0].allSatisfy(isToken) else { throw .malformed("the method is not a token") }
        guard parts[1].allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw .malformed("the target contains bytes that must be percent-encoded")
        }
        return (text(parts[0]), try path(of: text(parts[1])), version == "HTTP/1.1" ? 1 : 0)
    }

    /// Returns the target in origin form. The target may be in absolute form (RFC 9112 section 3.2).
    private static func path(of target: String) throws(RequestFailure) -> String {
        if target.hasPrefix("/") { return target }
        guard target.hasPrefix("http://") else { throw .malformed("the target is neither a path nor an http URL") }
        let rest = target.dropFirst("http://".count)
        guard let slash = rest.firstIndex(of: "/") else { return "/" }
        return String(rest[slash...])
    }

    private static func header(_ line: ArraySlice<UInt8>) throws(RequestFailure) -> HTTPRequest.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("a header has no colon") }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(isToken) else { throw .malformed("the name of a header is not a token") }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte == 32 || byte == 9 { value.removeFirst() }
        while let byte = value.last, byte == 32 || byte == 9 { value.removeLast() }
        guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
            throw .malformed("the value of a header contains control characters")
        }
        return HTTPRequest.Field(text(name).lowercased(), text(value))
    }

    /// Checks that an HTTP/1.1 request has exactly one Host header (RFC 9112 section 3.2).
    ///
    /// Also checks its characters, because the feed's URLs contain the host.
    private static func checkHost(_ headers: [HTTPRequest.Field], minor: Int) throws(RequestFailure) {
        let hosts = headers.filter { $0.name == "host" }
        guard hosts.count == 1 || (minor == 0 && hosts.isEmpty) else {
            throw .malformed("the request must have exactly one Host header")
        }
        let isPlain = hosts.allSatisfy { host in
            host.value.utf8.allSatisfy {
                isToken($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
            }
        }
        guard isPlain else { throw .malformed("the Host header is not a host name") }
    }

    private static func bodyLength(_ headers: [HTTPRequest.Field]) throws(RequestFailure) -> Int {
        guard !headers.contains(where: { $0.name == "transfer-encoding" }) else { throw .unsupportedTransferEncoding }
        let lengths = Set(headers.filter { $0.name == "content-length" }.map(\.value))
        guard let text = lengths.first else { return 0 }
        guard lengths.count == 1, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), !text.isEmpty else {
            throw .malformed("Content-Length must be a single number")
        }
        guard let length = Int(text), length <= limit else { throw .bodyTooLarge }
        return length
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns whether a byte is allowed in a token (RFC 9110 section 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
