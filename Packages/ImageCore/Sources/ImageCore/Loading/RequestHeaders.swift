/// The header fields of a request, by name. Names that differ only in case are equal (RFC 9110, 5.1).
///
/// ```swift
/// request.headers["Accept-Language"] = "de"
/// ```
public struct RequestHeaders: Sendable {
    private var fields: [String: (name: String, value: String)] = [:]

    /// Creates fields from names and values. Of names that differ only in case, one is taken.
    public init(_ fields: [String: String] = [:]) { for (name, value) in fields { self[name] = value } }

    /// The value of a field; nil if there is none. A name that HTTP doesn't allow fails with `ImageError.invalidHeader`.
    public subscript(name: String) -> String? {
        get { fields[name.lowercased()]?.value }
        set { fields[name.lowercased()] = newValue.map { (name, $0) } }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The fields with their names as they were set, in the order of the names.
    package var sorted: [(name: String, value: String)] { fields.sorted { $0.key < $1.key }.map(\.value) }

    /// The values by names in lower case.
    private var values: [String: String] { fields.mapValues(\.value) }
}

extension RequestHeaders: ExpressibleByDictionaryLiteral {
    /// Creates fields. Of names that differ only in case, the last one counts.
    public init(dictionaryLiteral fields: (String, String)...) { for (name, value) in fields { self[name] = value } }
}

extension RequestHeaders: Hashable {
    public static func == (left: RequestHeaders, right: RequestHeaders) -> Bool { left.values == right.values }
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
