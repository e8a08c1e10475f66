import NIOCore
import NIOHTTP1

/// Marks requests whose Host violates RFC 9112, section 3.2: none in HTTP/1.1, several, or one that is no host.
///
/// The marked ones have two Host fields, of which one remains in the fields that Hummingbird passes on. A response is
/// not written here, because responses to earlier requests may still be due.
final class HostRuleHandler: ChannelInboundHandler, RemovableChannelHandler {
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
        let hosts = head.headers["host"]
        guard let host = hosts.first else { return head.version == .http1_0 }
        return hosts.count == 1 && isHost(host)
    }

    /// Whether a text is a host with an optional port, or empty (RFC 9110, section 7.2).
    private static func isHost(_ text: String) -> Bool {
        let bytes = text.utf8
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
extension HostRuleHandler: Sendable {}
