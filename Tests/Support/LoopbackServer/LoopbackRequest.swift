/// A request as received by the server.
public struct LoopbackRequest: Sendable, Hashable {
    /// The method as sent, such as `GET`.
    public var method: String
    /// The path and query as sent.
    public var target: String
    /// The header fields by lowercase name. Repeated fields are joined with commas.
    public var headers: [String: String]
    /// The request line and the fields as received, without the blank line.
    public var head: [UInt8]
    /// The body of the length given by Content-Length. Chunked requests aren't supported.
    public var body: [UInt8] = []
    /// The number of the connection, from 1 in order of acceptance.
    public var connection: Int

    /// Whether the connection stays open: by default in HTTP/1.1, and with `Connection: keep-alive` in HTTP/1.0.
    public var keepsAlive: Bool {
        let option = headers["connection"]?.lowercased()
        return head.firstRange(of: Array(" HTTP/1.0".utf8)) == nil ? option != "close" : option == "keep-alive"
    }

    /// The target without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// Parses a request without its body. Returns nil if the request line doesn't have three words.
    ///
    /// - Parameters:
    ///   - head: The request line and the fields, without the blank line.
    ///   - connection: The number of the connection.
    public init?(head: [UInt8], connection: Int = 1) {
        // A carriage return and a line feed are one Character: split on the line feed's scalar.
        let lines = head.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return nil }
        method = String(words[0])
        target = String(words[1])
        headers = [:]
        self.head = head
        self.connection = connection
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].lowercased()
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            headers[name] = headers[name].map { $0 + ", " + value } ?? value
        }
    }

    /// The start of a range of bytes without an end, such as `bytes=100-`.
    var rangeStart: Int? {
        guard let range = headers["range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return UInt32(range.dropFirst("bytes=".count).dropLast()).map(Int.init)
    }

    var announcedBodyBytes: Int { headers["content-length"].flatMap { Int($0) } ?? 0 }
}
