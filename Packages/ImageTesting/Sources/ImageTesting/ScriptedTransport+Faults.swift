public import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Faults of networks and origins. For other failures, write a script with `Step.fail`.
extension ScriptedTransport.Reply {
    /// A refused connection, which fails with `TransportFailure.connectionFailed`.
    public static var refused: Self { .failure(.connectionFailed("connection refused")) }

    /// Returns a reply that is cut off after `byteCount` bytes, and fails with `TransportFailure.closedEarly`.
    public static func cut(_ body: Data, after byteCount: Int, headers: HTTPFields = [:]) -> Self {
        Self(headers: headers, announcedBytes: body.count, body: [.piece(body.prefix(byteCount))])
    }

    /// Returns a reply that stalls after `byteCount` bytes until the gate opens.
    ///
    /// - Parameters:
    ///   - body: The whole body.
    ///   - byteCount: The number of bytes before the stall.
    ///   - gate: The gate that ends the stall.
    ///   - failure: The failure after the stall, such as a timeout. If it is nil, the rest of the body follows.
    public static func stalled(
        _ body: Data, after byteCount: Int, until gate: Gate, failure: TransportFailure? = nil
    ) -> Self {
        let rest = failure.map(ScriptedTransport.Step.fail) ?? .piece(body.dropFirst(byteCount))
        return Self(announcedBytes: body.count, body: [.piece(body.prefix(byteCount)), .wait(gate), rest])
    }

    /// Returns a reply whose announced length is wrong.
    ///
    /// A shorter body fails with `TransportFailure.closedEarly`. The surplus of a longer body is dropped (RFC 9112,
    /// section 6.3).
    public static func wrongLength(_ body: Data, announced byteCount: Int) -> Self {
        Self(announcedBytes: byteCount, body: [.piece(body.prefix(byteCount))])
    }

    /// Returns a reply whose body arrives in pieces of `byteCount` bytes, with a pause before each.
    public static func slow(
        _ body: Data, piecesOf byteCount: Int, every pause: Duration, on clock: any Clock<Duration>
    ) -> Self {
        let steps = stride(from: 0, to: body.count, by: max(1, byteCount)).flatMap { start in
            [ScriptedTransport.Step.pause(pause, on: clock), .piece(body.dropFirst(start).prefix(byteCount))]
        }
        return Self(announcedBytes: body.count, body: steps)
    }
}
