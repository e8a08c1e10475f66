import NIOCore

/// Percent-encodes the bytes of request targets that aren't ASCII, as browsers do. The parser of NIO refuses them.
///
/// It follows the framing of requests without a body. After the first request that may have one, everything on the
/// connection is passed on unchanged.
final class RawTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Where the next byte is.
    private enum Place { case requestLine, field, unknown }

    private var place = Place.requestLine
    /// The beginning of the line in lower case, long enough to recognize a field.
    private var line: [UInt8] = []
    private var isLineEmpty = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard place != .unknown else { return context.fireChannelRead(data) }
        let received = unwrapInboundIn(data)
        // Safe: the bytes are only read, and not kept.
        let isASCII = unsafe received.withUnsafeReadableBytes { unsafe $0.reduce(0, |) < 0x80 }
        var encoded = isASCII ? nil : context.channel.allocator.buffer(capacity: received.readableBytes * 2)
        var rest = received.readableBytesView
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            encoded?.writeBytes(place == .requestLine ? Self.escaped(rest[..<end]) : Array(rest[..<end]))
            follow(rest[..<end])
            rest = rest[end...]
        }
        context.fireChannelRead(encoded.map(wrapInboundOut) ?? data)
    }

    private static func escaped(_ bytes: ByteBufferView) -> [UInt8] {
        bytes.flatMap { $0 < 0x80 ? [$0] : [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Moves on by a line, or by a part of one.
    private func follow(_ part: ByteBufferView) {
        let isEnded = part.last == UInt8(ascii: "\n")
        let content = part.dropLast(isEnded ? 1 : 0)
        line += content.prefix(Self.longestPrefix - line.count).map { $0 | 0x20 }
        if isLineEmpty { isLineEmpty = content.allSatisfy { $0 == UInt8(ascii: "\r") } }
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
    private static let mayHaveBody = ["content-length", "transfer-encoding", "upgrade"].map { Array($0.utf8) }
    private static let longestPrefix = 20
}

@available(*, unavailable)
extension RawTargetHandler: Sendable {}
