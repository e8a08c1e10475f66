import CImageContentCoding
import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes the content codings gzip and deflate (RFC 9110, 8.4.1) incrementally. Use one decoder per body, on one
/// thread at a time.
@safe public final class ContentDecoder {
    private let inflater: OpaquePointer
    private let maxDecodedBytes: Int
    private var codedCount = 0
    private var decodedCount = 0
    private var hasEnded = false

    /// Creates a decoder for a content coding. Returns nil for "identity".
    ///
    /// - Parameter coding: The content coding in lower case.
    /// - Throws: `.malformedResponse` for other codings, because they weren't requested.
    package init?(for coding: String, maxDecodedBytes: Int) throws(TransportFailure) {
        guard coding != "identity" else { return nil }
        guard ["gzip", "x-gzip", "deflate"].contains(coding) else {
            throw .malformedResponse("the body has the content coding \(coding), which was not requested")
        }
        guard let made = unsafe icc_inflater_make() else { throw .other("no memory for a decoder") }
        unsafe inflater = made
        self.maxDecodedBytes = maxDecodedBytes
    }

    /// Creates a decoder for the Content-Encoding of a response. Returns nil if there is none.
    ///
    /// - Parameters:
    ///   - head: The response head.
    ///   - maxDecodedBytes: The maximum size of the decoded body.
    /// - Throws: `.malformedResponse` for codings other than gzip and deflate.
    public convenience init?(for head: ResponseHead, maxDecodedBytes: Int) throws(TransportFailure) {
        let coding = head.headers[.contentEncoding]?.lowercased() ?? "identity"
        try self.init(for: coding, maxDecodedBytes: maxDecodedBytes)
    }

    deinit { unsafe icc_inflater_free(inflater) }

    /// Decodes the next bytes of the body. The result may be empty.
    ///
    /// - Throws: `.malformedResponse` if the bytes are invalid, and `.decodedBodyTooLarge` if the body exceeds
    ///   `maxDecodedBytes`.
    public func decoded(_ coded: Data) throws(TransportFailure) -> Data {
        var decoded = Data()
        var failure: TransportFailure?
        unsafe coded.withUnsafeBytes { bytes in
            do throws(TransportFailure) {
                unsafe try decode(bytes.bindMemory(to: UInt8.self), into: &decoded)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return decoded
    }

    /// Decodes the next bytes and appends the result.
    ///
    /// - Throws: `.malformedResponse` if the bytes are invalid, and `.decodedBodyTooLarge` if the body exceeds
    ///   `maxDecodedBytes`.
    package func decode(_ coded: UnsafeBufferPointer<UInt8>, into decoded: inout Data) throws(TransportFailure) {
        codedCount += coded.count
        var rest = unsafe coded[...]
        var isFull = true
        while unsafe isFull || !rest.isEmpty {
            let (taken, given) = unsafe try step(UnsafeBufferPointer(rebasing: rest), into: &decoded)
            if hasEnded && taken == 0 { return }
            unsafe rest = rest.dropFirst(taken)
            isFull = given == Self.stepBytes
        }
    }

    /// Throws `.closedEarly` if the encoded stream is truncated. Call this at the end of the body.
    public func finish() throws(TransportFailure) {
        guard hasEnded || codedCount == 0 else { throw .closedEarly(received: decodedCount, expected: nil) }
    }

    private static let stepBytes = 64 << 10

    private func step(
        _ coded: UnsafeBufferPointer<UInt8>, into decoded: inout Data
    ) throws(TransportFailure) -> (taken: Int, given: Int) {
        let before = decoded.count
        var (taken, given) = (coded.count, Self.stepBytes)
        decoded.count += given
        let state = unsafe decoded.withUnsafeMutableBytes { all in
            let space = unsafe all.bindMemory(to: UInt8.self).baseAddress.map { unsafe $0 + before }
            return unsafe icc_inflater_run(inflater, coded.baseAddress, &taken, space, &given)
        }
        decoded.count = before + given
        decodedCount += given
        hasEnded = state == ICC_INFLATE_ENDED
        guard state != ICC_INFLATE_ERROR else { throw .malformedResponse("the body is not valid gzip or deflate data") }
        guard decodedCount <= maxDecodedBytes else { throw .decodedBodyTooLarge(allowedBytes: maxDecodedBytes) }
        return (taken, given)
    }
}
