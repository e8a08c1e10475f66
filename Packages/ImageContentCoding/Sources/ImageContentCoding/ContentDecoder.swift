import CImageContentCoding
import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Undoes the content codings gzip and deflate (RFC 9110, 8.4.1), as the bytes come in.
@safe public final class ContentDecoder {
    private let inflater: OpaquePointer
    private let maxDecodedBytes: Int
    private var codedCount = 0
    private var decodedCount = 0
    private var hasEnded = false

    /// Nil when the body is not coded. Throws `.malformedResponse` for a coding that was not asked for.
    ///
    /// - Parameter coding: in lower case.
    package init?(for coding: String, maxDecodedBytes: Int) throws(TransportFailure) {
        guard coding != "identity" else { return nil }
        guard ["gzip", "x-gzip", "deflate"].contains(coding) else {
            throw .malformedResponse("the body is coded as \(coding), which was not asked for")
        }
        guard let made = unsafe icc_inflater_make() else { throw .other("no memory for a decoder") }
        unsafe inflater = made
        self.maxDecodedBytes = maxDecodedBytes
    }

    /// As above, for the coding that a head names.
    public convenience init?(for head: ResponseHead, maxDecodedBytes: Int) throws(TransportFailure) {
        let coding = head.headers[.contentEncoding]?.lowercased() ?? "identity"
        try self.init(for: coding, maxDecodedBytes: maxDecodedBytes)
    }

    deinit { unsafe icc_inflater_free(inflater) }

    /// What these bytes unpack to, which may be nothing yet. Throws as `decode(_:into:)` does.
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

    /// Appends what these bytes unpack to. Throws `.malformedResponse` when they are not as their coding wants them, and
    /// `.unpacksTooLarge` when there is more than allowed in all.
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

    /// Throws when the coded stream has been cut, although the message that carried it is complete.
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
        guard state != ICC_INFLATE_BROKEN else { throw .malformedResponse("the body is not coded as it says") }
        guard decodedCount <= maxDecodedBytes else { throw .unpacksTooLarge(allowedBytes: maxDecodedBytes) }
        return (taken, given)
    }
}
