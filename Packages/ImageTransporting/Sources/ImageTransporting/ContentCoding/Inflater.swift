import CImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes one content coding.
@safe final class Inflater {
    private enum State {
        /// No byte has arrived.
        case start
        case inflating, ended
        /// The body isn't encoded, although its head says so.
        case passing
    }

    private let isDeflate: Bool
    private let isCertain: Bool
    private let maxDecodedBytes: Int
    private var state = State.start
    private var inflater: OpaquePointer?
    private var decodedCount = 0

    /// - Parameters:
    ///   - isDeflate: Whether the coding is deflate instead of gzip.
    ///   - isCertain: Whether a body in another format is invalid. If false, it is returned as it is.
    init(isDeflate: Bool, isCertain: Bool, maxDecodedBytes: Int) {
        self.isDeflate = isDeflate
        self.isCertain = isCertain
        self.maxDecodedBytes = maxDecodedBytes
    }

    deinit {
        if let inflater = unsafe inflater { unsafe it_inflater_free(inflater) }
    }

    func decoded(_ coded: Data) throws(TransportFailure) -> Data {
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

    /// Decodes bytes and appends the result.
    func decode(_ coded: UnsafeBufferPointer<UInt8>, into decoded: inout Data) throws(TransportFailure) {
        guard let first = unsafe coded.first else { return }
        if state == .start { try start(first) }
        if let inflater = unsafe inflater {
            unsafe try inflate(inflater, coded, into: &decoded)
        } else {
            unsafe decoded.append(coded)
        }
    }

    /// Throws `.closedEarly` if the stream is truncated.
    func finish() throws(TransportFailure) {
        if state == .inflating { throw .closedEarly(received: decodedCount, expected: nil) }
    }

    /// Selects the format by the first byte: 31 is gzip (RFC 1952, 2.3.1), and a low half of 8 is zlib (RFC 1950, 2.2).
    ///
    /// Browsers accept deflate without the zlib format, too (RFC 9110, 8.4.1.2). No such stream begins like zlib, unless
    /// it is not compressed.
    private func start(_ first: UInt8) throws(TransportFailure) {
        let isMarked = first == 31 || first & 0x8F == 8
        if !isMarked, !isCertain { return state = .passing }
        guard let inflater = unsafe it_inflater_make(!isMarked && isDeflate) else {
            throw .other("no memory for a decoder")
        }
        unsafe self.inflater = inflater
        state = .inflating
    }

    private func inflate(
        _ inflater: OpaquePointer, _ coded: UnsafeBufferPointer<UInt8>, into decoded: inout Data
    ) throws(TransportFailure) {
        var rest = unsafe coded[...]
        var isFull = true
        while unsafe isFull || !rest.isEmpty {
            let (taken, given) = unsafe try step(inflater, UnsafeBufferPointer(rebasing: rest), into: &decoded)
            if state == .ended, taken == 0 { return }
            unsafe rest = rest.dropFirst(taken)
            isFull = given == Self.stepBytes
        }
    }

    private static let stepBytes = 64 << 10

    private func step(
        _ inflater: OpaquePointer, _ coded: UnsafeBufferPointer<UInt8>, into decoded: inout Data
    ) throws(TransportFailure) -> (taken: Int, given: Int) {
        let before = decoded.count
        var (taken, given) = (coded.count, Self.stepBytes)
        decoded.count += given
        let status = unsafe decoded.withUnsafeMutableBytes { all in
            let space = unsafe all.bindMemory(to: UInt8.self).baseAddress.map { unsafe $0 + before }
            return unsafe it_inflater_run(inflater, coded.baseAddress, &taken, space, &given)
        }
        decoded.count = before + given
        decodedCount += given
        state = status == IT_INFLATE_ENDED ? .ended : .inflating
        guard status != IT_INFLATE_ERROR else {
            throw .malformedResponse("the body is not valid gzip or deflate data")
        }
        guard decodedCount <= maxDecodedBytes else { throw .decodedBodyTooLarge(allowedBytes: maxDecodedBytes) }
        return (taken, given)
    }
}
