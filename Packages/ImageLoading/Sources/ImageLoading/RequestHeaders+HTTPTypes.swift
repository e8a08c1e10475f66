public import HTTPTypes
public import ImageCore

extension RequestHeaders {
    /// The value of a field, with a name of HTTPTypes: `request.headers[.acceptLanguage] = "de"`. Nil if there is none.
    public subscript(name: HTTPField.Name) -> String? {
        get { self[name.rawName] }
        set { self[name.rawName] = newValue }
    }
}
