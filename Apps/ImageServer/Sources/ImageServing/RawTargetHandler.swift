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
        let bytes = unwrapInboundIn(data).readableBytesView
        if bytes.contains(where: { $0 >= 0x80 }) {
            context.fireChannelRead(wrapInboundOut(encoded(bytes, context.channel.allocator)))
        } else {
            for byte in bytes { follow(byte) }
            context.fireChannelRead(data)
        }
    }

    private func encoded(_ bytes: ByteBufferView, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var result = allocator.buffer(capacity: bytes.count * 2)
        for byte in bytes {
            if byte >= 0x80, place == .requestLine {
                result.writeBytes([UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]])
            } else {
                result.writeInteger(byte)
            }
            follow(byte)
        }
        return result
    }

    /// Moves on by a byte.
    private func follow(_ byte: UInt8) {
        guard byte == UInt8(ascii: "\n") else {
            if byte != UInt8(ascii: "\r") { isLineEmpty = false }
            if line.count < Self.longestPrefix { line.append(byte | 0x20) }
            return
        }
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
