import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What an HTTP transport sends and expects for a request.
extension TransportRequest {
    /// Whether an encoded body is decoded. False if the request has a Range, which counts encoded bytes, or its own
    /// Accept-Encoding.
    package var isDecoded: Bool { decodesContent && headers[.range] == nil && headers[.acceptEncoding] == nil }

    /// The body to send, or `nil` for none. It is empty if the method expects a body and there is none (RFC 9110, 8.6).
    package var bodyToSend: Data? {
        switch method {
        case .head: nil
        case .post, .put, .patch: body ?? Data()
        default: body
        }
    }

    /// Returns the length in bytes of the body as delivered, or nil if it is unknown.
    ///
    /// - Parameters:
    ///   - length: The value of Content-Length.
    ///   - codings: The content codings.
    package func expectedBytes(
        status: Int, length: String?, codings: ContentCodings, isTransferCoded: Bool
    ) -> Int? {
        if method == .head || status == 204 || status == 304 { return 0 }
        guard !isTransferCoded, let length = length.flatMap({ Int($0) }), length >= 0,
            codings.decodable.isEmpty || !isDecoded
        else { return nil }
        return length
    }

    /// Throws `.tooLarge` if the announced length of the body exceeds `maxBodyBytes`.
    package func checkLength(_ head: ResponseHead) throws(TransportFailure) {
        guard let expected = head.expectedBytes, expected > maxBodyBytes, !RedirectChain.isRedirect(head) else {
            return
        }
        throw .tooLarge(allowedBytes: maxBodyBytes)
    }

    /// Returns whether the body has a transfer coding that isn't known here. It ends with the connection, unless `chunked`
    /// is the last coding (RFC 9112, 6.3).
    ///
    /// - Throws: `.malformedResponse` if the response also has a Content-Length, which may be an attempt at request
    ///   smuggling or response splitting (RFC 9112, 6.3), or if the body should be decoded. The body of a redirect isn't
    ///   used.
    package func hasUnknownTransferCoding(_ head: ResponseHead) throws(TransportFailure) -> Bool {
        guard head.expectedBytes == nil else { return false }  // not transfer-coded, or no body
        let codings = head.headers[values: .transferEncoding].flatMap(\.listedNames)
        guard let unknown = codings.first(where: { !Self.transferCodings.contains($0) }) else { return false }
        if head.headers.contains(.contentLength) || decodesContent && !RedirectChain.isRedirect(head) {
            throw .malformedResponse("unknown transfer coding \(unknown)")
        }
        return true
    }

    private static let transferCodings: Set = ["chunked", "gzip", "x-gzip", "deflate", "br", "zstd", "identity"]
}
