import NIOCore

/// Encodes bytes that aren't ASCII, before NIO's parser sees them: it refuses those in targets, and loses those of fields.
///
/// In targets, they are percent-encoded, as by browsers. In fields, each becomes a character (ISO 8859-1).
///
/// It follows the framing of requests without a body. After the first request that may have one, everything is passed on
/// unchanged, and the connection ends with that request.
final class RawTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Where the next byte is.
    private enum Place { case requestLine, field, unknown }

    private var place = Place.requestLine
    /// The beginning of the line in lower case, long enough to recognize a field.
    private var line: [UInt8] = []
    private var isLineEmpty = true
    /// The bytes of empty lines before a request, which a server should ignore (RFC 9112, section 2.2).
    private var ignoredBytes = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard place != .unknown else { return context.fireChannelRead(data) }
        let received = unwrapInboundIn(data)
        // Safe: the bytes are only read, and not kept.
        let isASCII = unsafe received.withUnsafeReadableBytes { unsafe $0.reduce(0, |) < 0x80 }
        var encoded = isASCII ? nil : context.channel.allocator.buffer(capacity: received.readableBytes * 2)
        var rest = received.readableBytesView
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            encoded?.writeBytes(encoding(rest[..<end]))
            follow(rest[..<end])
            if ignoredBytes > Self.mostIgnoredBytes { return context.close(promise: nil) }
            rest = rest[end...]
        }
        context.fireChannelRead(encoded.map(wrapInboundOut) ?? data)
    }

    private func encoding(_ bytes: ByteBufferView) -> [UInt8] {
        switch place {
        case .requestLine:
            bytes.flatMap {
                $0 < 0x80 ? [$0] : [UInt8(ascii: "%"), Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]]
            }
        case .field: bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
        case .unknown: Array(bytes)
        }
    }

    /// Moves on by a line, or by a part of one.
    private func follow(_ part: ByteBufferView) {
        let isEnded = part.last == UInt8(ascii: "\n")
        let content = part.dropLast(isEnded ? 1 : 0)
        line += content.prefix(Self.longestPrefix - line.count).map { $0 | 0x20 }
        if isLineEmpty { isLineEmpty = content.allSatisfy { $0 == UInt8(ascii: "\r") } }
        ignoredBytes = place == .requestLine && isLineEmpty ? ignoredBytes + part.count : 0
        guard isEnded else { return }
        switch place {
        case .requestLine where !isLineEmpty: place = .field
        case .field where isLineEmpty: place = .requestLine
        case .field where Self.mayHaveBody.contains(where: { line.starts(with: $0) }): place = .unknown
        default: break
        }
        line.removeAll(keepingCapacity: true)
        isLineEmpty = true
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    /// The fields with which a request may have a body.
    static let bodyFields = ["content-length", "transfer-encoding", "upgrade"]
    private static let mayHaveBody = bodyFields.map { Array("\($0):".utf8) }
    private static let mostIgnoredBytes = 64
    private static let longestPrefix = 20
}

@available(*, unavailable)
extension RawTargetHandler: Sendable {}
