public import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What networks and origins do wrong. A body that is cut in a piece, or a failure of another kind, is a script of its own: `Step.fail`.
extension ScriptedTransport.Reply {
    /// Nobody listens: `TransportFailure.connectionFailed`.
    public static var refused: Self { .failure(.connectionFailed("connection refused")) }

    /// The connection ends when so many bytes of the body have come: `TransportFailure.closedEarly`.
    public static func cut(_ body: Data, after byteCount: Int, headers: HTTPFields = [:]) -> Self {
        Self(headers: headers, announcedBytes: body.count, body: [.piece(body.prefix(byteCount))])
    }

    /// Nothing comes any more after so many bytes of the body, until the gate opens.
    ///
    /// - Parameter failure: what the transfer ends with then, as with a transport that has waited for too long; nil: it goes on.
    public static func stalled(
        _ body: Data, after byteCount: Int, until gate: Gate, failure: TransportFailure? = nil
    ) -> Self {
        let rest = failure.map(ScriptedTransport.Step.fail) ?? .piece(body.dropFirst(byteCount))
        return Self(announcedBytes: body.count, body: [.piece(body.prefix(byteCount)), .wait(gate), rest])
    }

    /// The head says that the body has so many bytes. Where it has fewer, it is closed early; what it has beyond them is nobody's (RFC 9112, 6.3).
    public static func misannounced(_ body: Data, as byteCount: Int) -> Self {
        Self(announcedBytes: byteCount, body: [.piece(body.prefix(byteCount))])
    }

    /// The body comes in pieces, a pause before each.
    public static func slow(
        _ body: Data, piecesOf byteCount: Int, every pause: Duration, on clock: any Clock<Duration>
    ) -> Self {
        let steps = stride(from: 0, to: body.count, by: max(1, byteCount)).flatMap { start in
            [ScriptedTransport.Step.pause(pause, on: clock), .piece(body.dropFirst(start).prefix(byteCount))]
        }
        return Self(announcedBytes: body.count, body: steps)
    }
}
