package import HTTPTypes
package import ImageCore

/// What an HTTP transport sends and expects for a request.
extension TransportRequest {
    /// Whether an encoded body is decoded. A Range counts encoded bytes.
    package var isDecoded: Bool { decodesContent && headers[.range] == nil && headers[.acceptEncoding] == nil }

    /// The body to send. Empty if the method expects a body and there is none (RFC 9110, 8.6).
    package var bodyToSend: Data? {
        switch method {
        case .head: nil
        case .post, .put, .patch: body ?? Data()
        default: body
        }
    }

    /// Returns the length of the body as delivered; nil if it is unknown. `length` is the value of Content-Length.
    package func expectedByteCount(
        status: Int, length: String?, codings: ContentCodings, isTransferCoded: Bool
    ) -> Int? {
        if method == .head || status == 204 || status == 304 { return 0 }
        guard !isTransferCoded, let length = length.flatMap({ Int($0) }), length >= 0,
            codings.decodable.isEmpty || !isDecoded
        else { return nil }
        return length
    }

    /// Throws `.tooLarge` if the announced length of the body exceeds `bodyByteLimit`.
    package func checkLength(_ head: ResponseHead) throws(TransportError) {
        guard let expected = head.expectedByteCount, expected > bodyByteLimit, !RedirectChain.isRedirect(head) else {
            return
        }
        throw .tooLarge(byteLimit: bodyByteLimit)
    }

    /// Returns whether the body has an unknown transfer coding.
    ///
    /// - Throws: `.malformedResponse` if the response also has a Content-Length, as in request smuggling (RFC 9112,
    ///   6.3), or if the body should be decoded. The body of a redirect isn't used.
    package func hasUnknownTransferCoding(_ head: ResponseHead) throws(TransportError) -> Bool {
        guard head.expectedByteCount == nil else { return false }  // not transfer-coded, or no body
        let codings = head.headers[values: .transferEncoding].flatMap(\.listedNames)
        guard let unknown = codings.first(where: { !Self.transferCodings.contains($0) }) else { return false }
        if head.headers.contains(.contentLength) || decodesContent && !RedirectChain.isRedirect(head) {
            throw .malformedResponse("unknown transfer coding \(unknown)")
        }
        return true
    }

    /// No request asks for others (RFC 9110, 10.1.4). libcurl would decode them ahead of a slow reader.
    private static let transferCodings: Set = ["chunked", "identity"]
}

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

    /// The `byteText` of all fields with a name, joined with commas; nil if there is none.
    package subscript(byteTexts name: HTTPField.Name) -> String? {
        contains(name) ? self[fields: name].map(\.byteText).joined(separator: ", ") : nil
    }
}

extension HTTPField.Name {
    /// The field with which clients ask for less data (https://wicg.github.io/savedata).
    package static var saveData: HTTPField.Name? { HTTPField.Name("Save-Data") }
}
