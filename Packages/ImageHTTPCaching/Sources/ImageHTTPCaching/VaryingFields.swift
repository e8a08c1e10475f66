public import HTTPTypes
import ImageTransporting

/// The request fields on which a response depends (RFC 9111, 4.1; RFC 9110, 12.5.5).
struct VaryingFields {
    /// In lower case.
    private let names: Set<String>

    init(_ response: HTTPFields) {
        names = Set(response[values: .vary].flatMap(\.listedNames))
    }

    /// `Vary: *`: on something that is in no field. No other request may be answered with the response.
    var areUnknown: Bool { names.contains("*") }

    /// What a request says in them: lines of one name joined, and space around commas taken away, which changes no meaning.
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
    /// Whether a request asks for this variant.
    public func isSelected(by request: HTTPFields) -> Bool {
        let fields = VaryingFields(headers)
        return !fields.areUnknown && fields.selection(from: request) == selectingFields
    }
}
