import NIOCore
import NIOHTTP1

/// Marks requests that a proxy could read in another way: those without a Host in HTTP/1.1, with several, with an empty one
/// or one that is no host (RFC 9112, section 3.2; RFC 9110, section 4.2.1), and those with an empty Transfer-Encoding.
///
/// The marked ones have two Host fields, of which one remains in the fields that Hummingbird passes on. A response is
/// not written here, because responses to earlier requests may still be due.
final class FramingRuleHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !Self.isValid(head) else {
            return context.fireChannelRead(data)
        }
        head.headers.remove(name: "host")
        head.headers.add(contentsOf: [("Host", ""), ("Host", "")])
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func isValid(_ head: HTTPRequestHead) -> Bool {
        guard head.headers["transfer-encoding"].allSatisfy({ !$0.isEmpty }) else { return false }
        let hosts = head.headers["host"]
        guard let host = hosts.first else { return head.version == .http1_0 }
        return hosts.count == 1 && isHost(host)
    }

    /// Whether a text is a host with an optional port (RFC 9110, section 7.2). That of an `http` URL is never empty.
    private static func isHost(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, first != UInt8(ascii: ":") else { return false }
        let isAddress = bytes.first == UInt8(ascii: "[")
        if isAddress, !bytes.contains(UInt8(ascii: "]")) { return false }
        let rest =
            isAddress
            ? bytes.drop { $0 != UInt8(ascii: "]") }.dropFirst() : bytes.drop { $0 != UInt8(ascii: ":") }
        return bytes.allSatisfy { isAllowed[Int($0)] }
            && (rest.isEmpty || rest.first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(digits.contains))
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    /// Whether each byte may be in a Host.
    private static let isAllowed = (0...255).map { byte in
        (0x21...0x7E).contains(byte) && !",/?#@\\\"<>^`{|}".utf8.contains(UInt8(byte))
    }
}

@available(*, unavailable)
extension FramingRuleHandler: Sendable {}
