import Foundation
import HTTPTypes
public import ImageContractTesting
import ImageTesting
public import ImageTransporting
import LoopbackServer

/// Origins for the contract of transports.
public enum TransportFixtures {
    public typealias Server = DataTransportContract.Server
    public typealias Fixture = DataTransportContract.Fixture

    /// Returns a transport that answers like the server.
    public static func scripted(_ server: Server) throws -> Fixture {
        let transport = ScriptedTransport()
        guard let base = URL(string: "http://server/") else { throw URLError(.badURL) }
        for hop in 0..<server.redirects {
            transport.script(base.appending(path: "\(hop)"), .status(.found, headers: [.location: "/\(hop + 1)"]))
        }
        let last = base.appending(path: "\(server.redirects)")
        if let location = server.location {
            transport.script(last, .status(.found, headers: [.location: location]))
        } else {
            transport.script(last, reply(server))
        }
        return Fixture(
            transport: transport, url: base.appending(path: "0"), requestCount: { transport.sendCount },
            cancellationCount: { transport.cancellationCount })
    }

    private static func reply(_ server: Server) -> ScriptedTransport.Reply {
        var steps = server.pieces.map { ScriptedTransport.Step.piece(Data($0)) }
        switch server.ending {
        case .complete: break
        case .stall, .trickle: steps.append(.wait(TestGate()))
        case .disconnect where server.announcedByteCount != nil: break
        case .disconnect, .disconnectInPiece:
            steps.append(.fail(.closedEarly(received: server.pieces.joined().count, expected: nil)))
        }
        return ScriptedTransport.Reply(
            beforeHead: server.isSilentBeforeHead ? [.wait(TestGate())] : [], status: .init(code: server.status),
            announcedByteCount: server.announcedByteCount, body: steps)
    }

    /// Starts the server for a transport.
    public static func served(_ server: Server, to transport: any DataTransport) throws -> Fixture {
        let server = try LoopbackServer { request in
            let hop = Int(request.path.dropFirst()) ?? 0
            if hop < server.redirects { return .redirect(to: "/\(hop + 1)") }
            if let location = server.location { return .redirect(to: location) }
            return .steps(steps(server, isHead: request.method == "HEAD"))
        }
        return Fixture(
            transport: transport, url: server.url("/0"),
            requestCount: { server.requestCount }, cancellationCount: { server.abandonmentCount },
            sentByteCount: { server.sentByteCount }, requestBodies: { server.log.map { Data($0.body) } },
            requestHeaders: { server.log.map { HTTPFields($0.headers) } })
    }

    private static func steps(_ server: Server, isHead: Bool) -> [LoopbackStep] {
        if server.isSilentBeforeHead { return [.awaitDisconnect] }
        let isBodiless = server.status == 204 || server.status == 304
        let head = LoopbackReply.head(status: server.status, headers: isBodiless ? [:] : fields(server))
        if isHead || isBodiless { return [.text(head)] }
        let isChunked = server.announcedByteCount == nil
        let pieces = server.pieces.map { LoopbackStep.bytes(isChunked ? LoopbackReply.chunk($0) : $0) }
        switch server.ending {
        case .complete: return [.text(head)] + pieces + (isChunked ? [.text("0\r\n\(trailers(server))\r\n")] : [])
        case .disconnect: return [.text(head)] + pieces + [.close]
        case .disconnectInPiece: return [.text(head)] + pieces.dropLast() + [firstHalf(pieces.last), .close]
        case .stall: return [.text(head)] + pieces + [.awaitDisconnect]
        case .trickle:
            let steps = [LoopbackStep.bytes(LoopbackReply.chunk([7])), .pause(.milliseconds(20))]
            return [.text(head)] + Array(repeating: steps, count: 1 << 14).joined()
        }
    }

    private static func fields(_ server: Server) -> [String: String] {
        var fields =
            server.announcedByteCount.map { ["Content-Length": "\($0)"] } ?? ["Transfer-Encoding": "chunked"]
        fields["Content-Encoding"] = server.contentCoding
        for number in 0..<server.extraHeadByteCount / 1_000 {
            fields["X-\(number)"] = String(repeating: "x", count: 1_000)
        }
        return fields
    }

    private static func trailers(_ server: Server) -> String {
        String(
            repeating: "X-Trailer: \(String(repeating: "x", count: 1_000))\r\n", count: server.trailerByteCount / 1_000)
    }

    private static func firstHalf(_ step: LoopbackStep?) -> LoopbackStep {
        guard case .bytes(let bytes) = step else { return .bytes([]) }
        return .bytes(Array(bytes.prefix(bytes.count / 2)))
    }
}

extension HTTPFields {
    fileprivate init(_ headers: [String: String]) {
        self.init()
        for (name, value) in headers { if let name = HTTPField.Name(name) { self[name] = value } }
    }
}
