/// A request as the server understands it: RFC 9112 with the parts that an image origin needs.
public struct HTTPRequest: Hashable, Sendable {
    public var method: String
    /// The request target as received, `/images/1.jpg?w=300`.
    public var target: String
    /// The target's path, percent-decoded.
    public var path: String
    /// The target's query, percent-decoded, in order.
    public var query: [Field]
    /// Names in lower case, values without surrounding white space, in order.
    public var headers: [Field]
    /// Whether the client keeps the connection open: HTTP/1.1 unless `Connection: close`, HTTP/1.0 only with `keep-alive`.
    public var keepsAlive: Bool

    /// A name and a value, of a header or of a query.
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(method: String = "GET", target: String, headers: [Field] = [], keepsAlive: Bool = true)
        throws(RequestFailure)
    {
        self.method = method
        self.target = target
        self.headers = headers
        self.keepsAlive = keepsAlive
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = try percentDecoded(parts[0])
        query = []
        guard parts.count == 2 else { return }
        for pair in parts[1].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query.append(Field(try percentDecoded(sides[0]), sides.count == 2 ? try percentDecoded(sides[1]) : ""))
        }
    }

    /// The first header with this name, given in lower case.
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The first query value with this name.
    public func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// Why bytes are no request that this server can answer.
public enum RequestFailure: Error, Hashable, Sendable {
    case malformed(String)
    case headTooLarge
    case bodyTooLarge
    case unsupportedVersion
    case unsupportedTransferEncoding

    /// The status that says so (RFC 9110 section 15, RFC 6585).
    public var status: Int {
        switch self {
        case .malformed: 400
        case .headTooLarge: 431
        case .bodyTooLarge: 413
        case .unsupportedVersion: 505
        case .unsupportedTransferEncoding: 501
        }
    }

    public var text: String {
        switch self {
        case .malformed(let text): text
        case .headTooLarge: "the request's head is larger than 64 KiB"
        case .bodyTooLarge: "this server takes no request bodies above 64 KiB"
        case .unsupportedVersion: "only HTTP/1.0 and HTTP/1.1 are spoken here"
        case .unsupportedTransferEncoding: "request bodies with a Transfer-Encoding are not taken"
        }
    }
}

private func percentDecoded(_ text: Substring) throws(RequestFailure) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
            throw .malformed("a % in the target is not followed by two hexadecimal digits")
        }
        bytes.append(high << 4 | low)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
        throw .malformed("the target is not UTF-8 after percent-decoding")
    }
    return decoded
}

private func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
