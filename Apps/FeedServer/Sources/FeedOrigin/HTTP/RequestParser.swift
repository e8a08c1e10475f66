/// Turns the bytes of a connection into requests, however they are cut, several at once included (pipelining).
///
/// After a failure the connection can't be trusted any more: answer and close.
public struct RequestParser: Sendable {
    /// Bytes that a head or a body may have.
    public static let limit = 64 << 10

    private var buffer: [UInt8] = []
    private var position = 0
    private var scanned = 0
    /// Bytes of a request body that are still to be skipped.
    private var bodyLeft = 0

    public init() {}

    /// True when part of a request has arrived, so that waiting for the rest has a limit.
    public var isWithinRequest: Bool { position < buffer.count || bodyLeft > 0 }

    public mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0 {
            buffer.removeFirst(position)
            scanned -= position
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete request, or nil until more bytes come.
    ///
    /// A request's body is skipped before the request after it is read.
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

    /// RFC 9112 section 2.2: empty lines before a request are ignored.
    private mutating func skipEmptyLines() {
        while position < buffer.count, buffer[position] == 13 || buffer[position] == 10 { position += 1 }
        scanned = max(scanned, position)
    }

    /// One past the empty line that ends the head. A line may end with a bare LF (RFC 9112 section 2.2).
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
        guard parts.count == 3 else { throw .malformed("the request line is not METHOD TARGET VERSION") }
        let version = text(parts[2])
        guard version.hasPrefix("HTTP/") else { throw .malformed("the request line does not end with HTTP/1.1") }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw .unsupportedVersion }
        guard !parts[0].isEmpty, parts[0].allSatisfy(isToken) else { throw .malformed("the method is no token") }
        guard parts[1].allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw .malformed("the target holds bytes that have to be percent-encoded")
        }
        return (text(parts[0]), try path(of: text(parts[1])), version == "HTTP/1.1" ? 1 : 0)
    }

    /// Origin form, or the path of an absolute form (RFC 9112 section 3.2).
    private static func path(of target: String) throws(RequestFailure) -> String {
        if target.hasPrefix("/") { return target }
        guard target.hasPrefix("http://") else { throw .malformed("the target is neither a path nor an http URL") }
        let rest = target.dropFirst("http://".count)
        guard let slash = rest.firstIndex(of: "/") else { return "/" }
        return String(rest[slash...])
    }

    private static func header(_ line: ArraySlice<UInt8>) throws(RequestFailure) -> HTTPRequest.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("a header without a colon") }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(isToken) else { throw .malformed("a header's name is no token") }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte == 32 || byte == 9 { value.removeFirst() }
        while let byte = value.last, byte == 32 || byte == 9 { value.removeLast() }
        guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
            throw .malformed("a header's value holds control characters")
        }
        return HTTPRequest.Field(text(name).lowercased(), text(value))
    }

    /// RFC 9112 section 3.2: exactly one Host in HTTP/1.1. It ends up in the feed's URLs, so its characters are checked.
    private static func checkHost(_ headers: [HTTPRequest.Field], minor: Int) throws(RequestFailure) {
        let hosts = headers.filter { $0.name == "host" }
        guard hosts.count == 1 || (minor == 0 && hosts.isEmpty) else { throw .malformed("exactly one Host is needed") }
        let isPlain = hosts.allSatisfy { host in
            host.value.utf8.allSatisfy {
                isToken($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
            }
        }
        guard isPlain else { throw .malformed("the Host is no host name") }
    }

    private static func bodyLength(_ headers: [HTTPRequest.Field]) throws(RequestFailure) -> Int {
        guard !headers.contains(where: { $0.name == "transfer-encoding" }) else { throw .unsupportedTransferEncoding }
        let lengths = Set(headers.filter { $0.name == "content-length" }.map(\.value))
        guard let text = lengths.first else { return 0 }
        guard lengths.count == 1, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), !text.isEmpty else {
            throw .malformed("Content-Length is no single number")
        }
        guard let length = Int(text), length <= limit else { throw .bodyTooLarge }
        return length
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
