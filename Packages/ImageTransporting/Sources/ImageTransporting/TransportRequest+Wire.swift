import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a transport for HTTP sends and expects.
extension TransportRequest {
    /// Whether a coded body is to be decoded. Ranges count coded bytes, and who names codings wants them as they are.
    package var isDecoded: Bool { decodesContent && headers[.range] == nil && headers[.acceptEncoding] == nil }

    /// The body, empty where the method wants one and there is none (RFC 9110, 8.6); nil where none is sent.
    package var sentBody: Data? {
        switch method {
        case .head: nil
        case .post, .put, .patch: body ?? Data()
        default: body
        }
    }

    /// The length of the body as it will be delivered, if the head of its response tells.
    ///
    /// - Parameters:
    ///   - length: what Content-Length says.
    ///   - coding: the content coding, in lower case; "identity" for none.
    package func expectedBytes(status: Int, length: String?, coding: String, isTransferCoded: Bool) -> Int? {
        if method == .head || status == 204 || status == 304 { return 0 }
        guard !isTransferCoded, let length = length.flatMap({ Int($0) }), length >= 0,
            coding == "identity" || !isDecoded
        else { return nil }
        return length
    }

    /// Refuses a body that is announced to be larger than allowed, before it is read.
    package func checkLength(_ head: ResponseHead) throws(TransportFailure) {
        guard let expected = head.expectedBytes, expected > maxBodyBytes, !RedirectTrail.isRedirect(head) else {
            return
        }
        throw .tooLarge(allowedBytes: maxBodyBytes)
    }
}
