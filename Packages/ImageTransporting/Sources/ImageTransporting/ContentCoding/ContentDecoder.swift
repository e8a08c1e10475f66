import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Decodes the content codings gzip and deflate (RFC 9110, 8.4.1) incrementally. Use one decoder per body, on one
/// thread at a time.
///
/// Several codings are decoded in the reverse order. Unknown codings are ignored, because most of them name none, such as
/// `UTF-8` or `aws-chunked`: the body is then decoded if it begins like the known coding, and returned as received
/// otherwise.
package final class ContentDecoder {
    private static let maxCodings = 5

    /// The last coding first.
    private let stages: [Inflater]

    /// Creates a decoder. Returns nil if nothing can be decoded.
    ///
    /// - Throws: `.malformedResponse` if there are more than five codings.
    package init?(for codings: ContentCodings, maxDecodedBytes: Int) throws(TransportFailure) {
        guard !codings.decodable.isEmpty else { return nil }
        guard codings.decodable.count <= Self.maxCodings else {
            throw .malformedResponse("the body has \(codings.decodable.count) content codings")
        }
        stages = codings.decodable.reversed().map { coding in
            Inflater(
                isDeflate: coding == "deflate", isCertain: !codings.hasUnknown, maxDecodedBytes: maxDecodedBytes)
        }
    }

    /// Decodes the next bytes of the body. The result may be empty.
    ///
    /// - Throws: `.malformedResponse` if the bytes are invalid, and `.decodedBodyTooLarge` if the body exceeds
    ///   `maxDecodedBytes`.
    package func decoded(_ coded: Data) throws(TransportFailure) -> Data {
        var bytes = coded
        for stage in stages { bytes = try stage.decoded(bytes) }
        return bytes
    }

    /// Decodes the next bytes and appends the result.
    ///
    /// - Throws: `.malformedResponse` if the bytes are invalid, and `.decodedBodyTooLarge` if the body exceeds
    ///   `maxDecodedBytes`.
    package func decode(_ coded: UnsafeBufferPointer<UInt8>, into decoded: inout Data) throws(TransportFailure) {
        guard stages.count > 1 else { return unsafe try stages[0].decode(coded, into: &decoded) }
        decoded.append(try self.decoded(unsafe Data(coded)))
    }

    /// Throws `.closedEarly` if the encoded stream is truncated. Call this at the end of the body.
    package func finish() throws(TransportFailure) {
        for stage in stages { try stage.finish() }
    }
}
