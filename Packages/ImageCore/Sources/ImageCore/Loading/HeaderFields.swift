/// Header fields by name. Names that differ only in case are equal (RFC 9110, 5.1).
///
/// ```swift
/// request.headers["Accept-Language"] = "de"
/// for (name, value) in response.headers { print("\(name): \(value)") }
/// ```
public struct HeaderFields: Sendable {
    private var fields: [String: (name: String, value: String)] = [:]

    /// Creates fields from names and values. Of names that differ only in case, one is taken.
    public init(_ fields: [String: String] = [:]) { for (name, value) in fields { self[name] = value } }

    /// The value of a field; nil if there is none. A request with a name that HTTP doesn't allow fails with
    /// `ImageError.invalidHeader`.
    public subscript(name: String) -> String? {
        get { fields[name.lowercased()]?.value }
        set { fields[name.lowercased()] = newValue.map { (name, $0) } }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The values by names in lower case.
    private var values: [String: String] { fields.mapValues(\.value) }
}

extension HeaderFields: Sequence {
    /// Returns an iterator over the fields with their names as they were set, in the order of the names.
    public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> {
        fields.sorted { $0.key < $1.key }.map(\.value).makeIterator()
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates fields. Of names that differ only in case, the last one counts.
    public init(dictionaryLiteral fields: (String, String)...) { for (name, value) in fields { self[name] = value } }
}

extension HeaderFields: Hashable {
    public static func == (left: HeaderFields, right: HeaderFields) -> Bool { left.values == right.values }
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
