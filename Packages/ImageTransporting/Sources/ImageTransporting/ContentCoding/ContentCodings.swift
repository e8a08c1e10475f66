package import HTTPTypes

/// The content codings of a body, from its Content-Encoding fields (RFC 9110, 8.4).
///
/// Many sites send a value that names no coding, such as `UTF-8`, `none`, `aws-chunked` or `image/png`. Their bodies are not
/// encoded. As in browsers, such a value is no error.
package struct ContentCodings: Sendable, Hashable {
    /// The codings that a transport decodes, in lower case, in the order in which they were applied.
    package private(set) var decodable: [String] = []
    /// Whether there are other values. The body is then decoded only as far as it has the formats of `decodable`.
    package private(set) var hasUnknown = false

    /// Creates the codings of a body without Content-Encoding.
    package init() {}

    /// Parses the Content-Encoding fields among these header fields.
    package init(_ fields: HTTPFields) {
        for value in fields[values: .contentEncoding] { add(value) }
    }

    /// Adds the members of a Content-Encoding field. Ignores `identity` and empty members (RFC 9110, 5.6.1.2).
    package mutating func add(_ value: String) {
        for name in value.listedNames where name != "identity" {
            if Self.known.contains(name) { decodable.append(name) } else { hasUnknown = true }
        }
    }

    /// Whether the body is not encoded, as far as the fields tell.
    package var isEmpty: Bool { decodable.isEmpty && !hasUnknown }

    private static let known: Set = ["gzip", "x-gzip", "deflate"]
}
