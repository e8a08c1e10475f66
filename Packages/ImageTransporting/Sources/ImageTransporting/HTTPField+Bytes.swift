package import HTTPTypes

// The value of a field is a string of bytes (RFC 9110, 5.5). Servers send Latin-1 in Location and ETag, which `value` would
// replace by U+FFFD.

extension HTTPField {
    /// Creates a field from text with one character for each byte (ISO 8859-1). Other text is encoded as UTF-8.
    package init(name: Name, byteText: String) {
        let bytes = byteText.unicodeScalars.map { UInt8(exactly: $0.value) }
        if bytes.contains(nil) {
            self.init(name: name, value: byteText)
        } else {
            self.init(name: name, value: bytes.compactMap(\.self))
        }
    }

    /// The bytes of the value.
    package var bytes: [UInt8] { unsafe withUnsafeBytesOfValue { unsafe Array($0) } }

    /// The value with one character for each byte (ISO 8859-1). Fields with equal texts have equal values.
    package var byteText: String {
        var text = ""
        text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return text
    }
}

extension HTTPFields {
    /// The `byteText` of the first field with a name; nil if there is none.
    package subscript(byteText name: HTTPField.Name) -> String? {
        get { self[fields: name].first?.byteText }
        set { self[fields: name] = newValue.map { [HTTPField(name: name, byteText: $0)] } ?? [] }
    }
}
