/// An HTTP/1.1 request (RFC 9112).
public struct HTTPRequest: Hashable, Sendable {
    /// The method, such as "GET".
    public var method: String
    /// The request target, such as `/images/1.jpg?w=300`.
    public var target: String
    /// The percent-decoded path of the target.
    public var path: String
    /// The percent-decoded query parameters of the target, in order.
    public var query: [Field]
    /// The headers in order, with lowercase names and without white space around the values.
    public var headers: [Field]
    /// Whether the connection stays open: by default in HTTP/1.1, and with `Connection: keep-alive` in HTTP/1.0.
    public var keepsAlive: Bool

    /// A header or a query parameter.
    public struct Field: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a request and parses its target.
    ///
    /// - Throws: `RequestFailure.malformed` if the percent-encoding of the target is invalid.
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

    /// Returns the value of the first header with a name, which must be lowercase.
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// Returns the value of the first query parameter with a name.
    public func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// An error in a request.
public enum RequestFailure: Error, Hashable, Sendable {
    /// Invalid syntax or an invalid parameter. The value is an error message.
    case malformed(String)
    /// A head that exceeds `RequestParser.limit`.
    case headTooLarge
    /// A body that exceeds `RequestParser.limit`.
    case bodyTooLarge
    /// A version other than HTTP/1.0 and HTTP/1.1.
    case unsupportedVersion
    /// A body with a transfer coding, such as chunked.
    case unsupportedTransferEncoding

    /// The status of the response (RFC 9110 section 15, RFC 6585).
    public var status: Int {
        switch self {
        case .malformed: 400
        case .headTooLarge: 431
        case .bodyTooLarge: 413
        case .unsupportedVersion: 505
        case .unsupportedTransferEncoding: 501
        }
    }

    /// The error message.
    public var text: String {
        switch self {
        case .malformed(let text): text
        case .headTooLarge: "the head of the request exceeds 64 KiB"
        case .bodyTooLarge: "the body of the request exceeds 64 KiB"
        case .unsupportedVersion: "only HTTP/1.0 and HTTP/1.1 are supported"
        case .unsupportedTransferEncoding: "Transfer-Encoding is not supported in requests"
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
            throw .malformed("a % in the target must be followed by two hexadecimal digits")
        }
        bytes.append(high << 4 | low)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
        throw .malformed("the percent-decoded target is not valid UTF-8")
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
