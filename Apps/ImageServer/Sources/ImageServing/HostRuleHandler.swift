import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

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
        let isAddress = text.hasPrefix("[")
        if isAddress, !text.contains("]") { return false }
        let rest = isAddress ? text.drop { $0 != "]" }.dropFirst() : text.drop { $0 != ":" }
        let port = rest.dropFirst()
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !forbidden.contains($0) }
            && (rest.isEmpty || rest.hasPrefix(":") && port.allSatisfy { $0.isASCII && $0.isNumber })
    }

    private static let forbidden = Set(",/?#@\\\"<>^`{|}".utf8)
}

@available(*, unavailable)
extension HostRuleHandler: Sendable {}

/// Adds the handlers that see a request before Hummingbird's own types, in front of those that are there already.
final class RequestRulesInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(HostRuleHandler(), position: .before(codec))
            try pipeline.addHandler(RawTargetHandler(), position: .first)
        } catch {
            // Without these rules, requests could be read in another way than a proxy reads them.
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension RequestRulesInstaller: Sendable {}
