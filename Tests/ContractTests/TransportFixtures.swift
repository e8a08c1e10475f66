import Foundation
import HTTPTypes
import ImageContractTesting
import ImageTesting
import ImageTransporting
import LoopbackServer
import Testing

/// Origins for the contract, from a script or a real server.
enum TransportFixtures {
    typealias Origin = DataTransportContract.Origin
    typealias Fixture = DataTransportContract.Fixture

    static func scripted(_ origin: Origin) throws -> Fixture {
        let transport = ScriptedTransport()
        let base = try #require(URL(string: "http://origin/"))
        for hop in 0..<origin.redirects {
            transport.script(base.appending(path: "\(hop)"), .status(.found, headers: [.location: "/\(hop + 1)"]))
        }
        let last = base.appending(path: "\(origin.redirects)")
        if let location = origin.location {
            transport.script(last, .status(.found, headers: [.location: location]))
        } else {
            transport.script(last, reply(origin))
        }
        return Fixture(
            transport: transport, url: base.appending(path: "0"), requestCount: { transport.sendCount },
            cancellationCount: { transport.cancellationCount })
    }

    private static func reply(_ origin: Origin) -> ScriptedTransport.Reply {
        var steps = origin.pieces.map { ScriptedTransport.Step.piece(Data($0)) }
        switch origin.ending {
        case .complete: break
        case .stall, .drip: steps.append(.wait(Gate()))
        case .disconnect where origin.announcedBytes != nil: break
        case .disconnect, .disconnectInPiece:
            steps.append(.fail(.closedEarly(received: origin.pieces.joined().count, expected: nil)))
        }
        return ScriptedTransport.Reply(
            beforeHead: origin.isSilentBeforeHead ? [.wait(Gate())] : [], status: .init(code: origin.status),
            announcedBytes: origin.announcedBytes, body: steps)
    }

    static func served(_ origin: Origin, to transport: any DataTransport) throws -> Fixture {
        let server = try LoopbackServer { request in
            let hop = Int(request.path.dropFirst()) ?? 0
            if hop < origin.redirects { return .redirect(to: "/\(hop + 1)") }
            if let location = origin.location { return .redirect(to: location) }
            return .steps(steps(origin, isHead: request.method == "HEAD"))
        }
        return Fixture(
            transport: transport, url: server.url("/0"),
            requestCount: { server.requestCount }, cancellationCount: { server.abandonmentCount },
            sentByteCount: { server.sentByteCount }, requestBodies: { server.log.map { Data($0.body) } },
            requestHeaders: { server.log.map { HTTPFields($0.headers) } })
    }

    private static func steps(_ origin: Origin, isHead: Bool) -> [LoopbackStep] {
        if origin.isSilentBeforeHead { return [.awaitDisconnect] }
        let isBodiless = origin.status == 204 || origin.status == 304
        let head = LoopbackReply.head(status: origin.status, headers: isBodiless ? [:] : fields(origin))
        if isHead || isBodiless { return [.text(head)] }
        let isChunked = origin.announcedBytes == nil
        let pieces = origin.pieces.map { LoopbackStep.bytes(isChunked ? LoopbackReply.chunk($0) : $0) }
        switch origin.ending {
        case .complete: return [.text(head)] + pieces + (isChunked ? [.text("0\r\n\r\n")] : [])
        case .disconnect: return [.text(head)] + pieces + [.close]
        case .disconnectInPiece: return [.text(head)] + pieces.dropLast() + [firstHalf(pieces.last), .close]
        case .stall: return [.text(head)] + pieces + [.awaitDisconnect]
        case .drip:
            let passage = LoopbackSignal()
            passage.open()
            let piece = LoopbackReply.chunk([7])
            let bytes = Array(repeating: piece, count: 1 << 18).joined()
            return [.text(head), .drip(Array(bytes), piece: piece.count, passage)]
        }
    }

    private static func fields(_ origin: Origin) -> [String: String] {
        var fields =
            origin.announcedBytes.map { ["Content-Length": "\($0)"] } ?? ["Transfer-Encoding": "chunked"]
        fields["Content-Encoding"] = origin.contentCoding
        for number in 0..<origin.extraHeadBytes / 1_000 { fields["X-\(number)"] = String(repeating: "x", count: 1_000) }
        return fields
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
