public import HTTPTypes
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

    /// Returns the values that a request has for these fields. Joins lines of the same name and removes whitespace
    /// around commas.
    func selection(from request: HTTPFields) -> [String: String] {
        var selection: [String: String] = [:]
        for name in names {
            guard let field = HTTPField.Name(name), request.contains(field) else { continue }
            let members = request[values: field].flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            selection[name] = members.map { String($0.trimmed) }.joined(separator: ",")
        }
        return selection
    }
}

extension StoredHTTPResponse {
    /// Returns whether a request selects this variant by its `Vary` fields (RFC 9111, 4.1).
    public func isSelected(by request: HTTPFields) -> Bool {
        let fields = VaryingFields(headers)
        return !fields.areUnknown && fields.selection(from: request) == selectingFields
    }
}
