public import HTTPTypes
public import ImageCore
import ImageTransporting

extension HeaderFields {
    /// The value of a field, with a name of HTTPTypes: `request.headers[.acceptLanguage] = "de"`. Nil if there is none.
    public subscript(name: HTTPField.Name) -> String? {
        get { self[name.rawName] }
        set { self[name.rawName] = newValue }
    }
}

extension OriginalResponse {
    init(_ head: ResponseHead) {
        var fields = HeaderFields()
        for name in Set(head.headers.map(\.name)) { fields[name] = head.headers[name] }
        self.init(url: head.url, status: head.status.code, headers: fields, freshUntil: head.freshUntil)
    }
}
