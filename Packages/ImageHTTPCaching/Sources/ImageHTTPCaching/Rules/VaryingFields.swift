import HTTPTypes
import ImageTransporting

/// The request fields that a response depends on (RFC 9111, 4.1; RFC 9110, 12.5.5).
struct VaryingFields {
    /// The field names in lowercase.
    private let names: Set<String>

    init(_ response: HTTPFields) {
        names = Set(response[values: .vary].flatMap(\.listedNames))
    }

    /// Whether the response depends on something other than request fields: `Vary: *`. It matches no other request.
    var areUnknown: Bool { names.contains("*") }

    /// Returns the values that a request has for these fields, normalized: values with the same meaning are equal.
    ///
    /// Joins lines of the same name, and removes whitespace around commas. Case and order of the members of
    /// Accept-Language, Accept-Encoding and Accept-Charset have no meaning (RFC 9110, 12.5; RFC 9111, 4.1). Preference is
    /// expressed by weights, which stay with their members.
    func selection(from request: HTTPFields) -> [String: String] {
        var selection: [String: String] = [:]
        for name in names {
            guard let field = HTTPField.Name(name), request.contains(field) else { continue }
            let members = request[values: field].flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            let values = Self.unordered.contains(name) ? Self.sorted(members) : members.map { String($0.trimmed) }
            selection[name] = values.joined(separator: ",")
        }
        return selection
    }

    private static let unordered: Set = ["accept-language", "accept-encoding", "accept-charset"]

    private static func sorted(_ members: [Substring]) -> [String] {
        members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.filter { !$0.isEmpty }.sorted()
    }
}

extension StoredHTTPResponse {
    /// Returns whether a request selects this variant by its `Vary` fields (RFC 9111, 4.1).
    func isSelected(by request: HTTPFields) -> Bool {
        let fields = VaryingFields(headers)
        return !fields.areUnknown && fields.selection(from: request) == selectingFields
    }
}
