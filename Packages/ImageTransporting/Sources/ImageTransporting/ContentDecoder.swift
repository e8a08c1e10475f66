import CImageTransporting
package import HTTPTypes
package import ImageCore

/// Decodes the content codings gzip and deflate (RFC 9110, 8.4.1) incrementally. Use one decoder per body.
///
/// Two codings are decoded in the reverse order, a batch at a time. Beside an unknown coding, such as `UTF-8` or
/// `aws-chunked`, a body is decoded if it begins like the known coding.
package final class ContentDecoder {
    private static let maxCodings = 2

    /// The last coding first.
    private let stages: [Inflater]

    /// Returns nil if nothing can be decoded. Throws `.malformedResponse` if there are more than two codings.
    package init?(for codings: ContentCodings, decodedByteLimit: Int) throws(TransportError) {
        guard !codings.decodable.isEmpty else { return nil }
        guard codings.decodable.count <= Self.maxCodings else {
            throw .malformedResponse("the body has \(codings.decodable.count) content codings")
        }
        stages = codings.decodable.reversed().map { coding in
            Inflater(
                isDeflate: coding == "deflate", isCertain: !codings.hasUnknown, decodedByteLimit: decodedByteLimit)
        }
    }

    /// Adds the next bytes of the body. Take what they decode to with `next()`.
    package func add(_ coded: Data) { stages[0].add(coded) }

    /// Returns the next decoded bytes, at most 64 KiB from compressed ones; empty if more of the body is needed.
    ///
    /// - Throws: `.malformedResponse`, and `.decodedBodyTooLarge` if the body exceeds `decodedByteLimit`.
    package func next() throws(TransportError) -> Data { try next(of: stages.count - 1) }

    private func next(of stage: Int) throws(TransportError) -> Data {
        while true {
            let decoded = try stages[stage].next()
            guard decoded.isEmpty, stage > 0 else { return decoded }
            let coded = try next(of: stage - 1)
            guard !coded.isEmpty else { return coded }
            stages[stage].add(coded)
        }
    }

    /// Throws `.closedEarly` if the encoded stream is truncated.
    package func finish() throws(TransportError) {
        for stage in stages { try stage.finish() }
    }
}

/// The content codings of a body, from its Content-Encoding fields (RFC 9110, 8.4).
///
/// Many sites send a value that names no coding, such as `none` or `image/png`. As in browsers, it is no error.
package struct ContentCodings: Sendable, Hashable {
    /// The codings that a transport decodes, in lower case, in the order in which they were applied.
    package private(set) var decodable: [String] = []
    /// Whether there are other values.
    private(set) var hasUnknown = false

    package init() {}

    package init(_ fields: HTTPFields) {
        for value in fields[values: .contentEncoding] { add(value) }
    }

    /// Adds the members of a Content-Encoding field. Ignores `identity` and empty members (RFC 9110, 5.6.1.2).
    package mutating func add(_ value: String) {
        for name in value.listedNames where name != "identity" {
            if Self.known.contains(name) { decodable.append(name) } else { hasUnknown = true }
        }
    }

    /// Whether the body is not encoded, as far as the fields tell.
    package var isEmpty: Bool { decodable.isEmpty && !hasUnknown }

    private static let known: Set = ["gzip", "x-gzip", "deflate"]
}

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
    private let decodedByteLimit: Int
    private var state = State.start
    private var inflater: OpaquePointer?
    private var coded = Data()
    /// Whether the last batch was full, so that zlib may have more.
    private var isFull = false
    private var decodedCount = 0

    /// - Parameter isCertain: Whether a body in another format is invalid. If false, it is returned as it is.
    init(isDeflate: Bool, isCertain: Bool, decodedByteLimit: Int) {
        self.isDeflate = isDeflate
        self.isCertain = isCertain
        self.decodedByteLimit = decodedByteLimit
    }

    deinit {
        if let inflater = unsafe inflater { unsafe it_inflater_free(inflater) }
    }

    func add(_ bytes: Data) { if coded.isEmpty { coded = bytes } else { coded += bytes } }

    /// Returns the next decoded bytes; empty if there are none.
    func next() throws(TransportError) -> Data {
        if state == .start, let first = coded.first { try start(first) }
        guard let inflater = unsafe inflater else {
            defer { coded = Data() }
            return coded
        }
        var decoded = Data()
        while decoded.isEmpty, isFull || !coded.isEmpty { decoded = unsafe try step(inflater) }
        return decoded
    }

    func finish() throws(TransportError) {
        if state == .inflating { throw .closedEarly(received: decodedCount, expected: nil) }
    }

    /// Selects the format by the first byte: 31 is gzip (RFC 1952, 2.3.1), and a low half of 8 is zlib (RFC 1950, 2.2).
    ///
    /// Browsers accept deflate without the zlib format, too (RFC 9110, 8.4.1.2).
    private func start(_ first: UInt8) throws(TransportError) {
        let isMarked = first == 31 || first & 0x8F == 8
        if !isMarked, !isCertain { return state = .passing }
        guard let inflater = unsafe it_inflater_make(!isMarked && isDeflate) else {
            throw .other("no memory for a decoder")
        }
        unsafe self.inflater = inflater
        state = .inflating
    }

    private static let stepBytes = 64 << 10

    private func step(_ inflater: OpaquePointer) throws(TransportError) -> Data {
        var decoded = Data(count: Self.stepBytes)
        var (taken, given) = (coded.count, Self.stepBytes)
        let status = unsafe coded.withUnsafeBytes { coded in
            unsafe decoded.withUnsafeMutableBytes { decoded in
                unsafe it_inflater_run(
                    inflater, coded.bindMemory(to: UInt8.self).baseAddress, &taken,
                    decoded.bindMemory(to: UInt8.self).baseAddress, &given)
            }
        }
        coded = coded.dropFirst(taken)
        isFull = given == Self.stepBytes
        decodedCount += given
        state = status == IT_INFLATE_ENDED ? .ended : .inflating
        guard status != IT_INFLATE_ERROR else {
            throw .malformedResponse("the body is not valid gzip or deflate data")
        }
        guard decodedCount <= decodedByteLimit else { throw .decodedBodyTooLarge(byteLimit: decodedByteLimit) }
        return decoded.prefix(given)
    }
}
