/// A step of a scripted connection.
public enum LoopbackStep: Sendable {
    /// Sends these bytes unchanged.
    case bytes([UInt8])
    /// Sends this text as UTF-8.
    case text(String)
    /// Waits until the signal lets the connection continue, or the client disconnects.
    case wait(LoopbackSignal)
    /// Sends the bytes in chunks of `piece` bytes. Waits for the signal before each chunk.
    case drip([UInt8], piece: Int, LoopbackSignal)
    /// Waits until the client ends the connection.
    case awaitDisconnect
    /// Closes the connection regularly (FIN).
    case close
    /// Resets the connection (RST).
    case reset
}

/// The scripted reaction of a server to a request.
public struct LoopbackReply: Sendable {
    /// The steps, performed in order.
    public var steps: [LoopbackStep]

    /// Creates a reply that performs these steps in order.
    public init(steps: [LoopbackStep]) { self.steps = steps }

    /// Returns a reply that performs exactly these steps.
    public static func steps(_ steps: [LoopbackStep]) -> LoopbackReply { LoopbackReply(steps: steps) }

    /// Returns a complete response with a Content-Length.
    public static func response(
        status: Int, reason: String = "Because", headers: [String: String] = [:], body: some Sequence<UInt8> = []
    ) -> LoopbackReply {
        let body = Array(body)
        let hasNoBody = status == 204 || status == 304 || (100..<200).contains(status)
        let length = hasNoBody ? [:] : ["Content-Length": "\(body.count)"]
        let head = head(status: status, reason: reason, headers: headers.merging(length) { given, _ in given })
        return LoopbackReply(steps: [.bytes(Array(head.utf8) + body)])
    }

    /// Returns a 200 response with a complete body and its Content-Length.
    public static func ok(_ body: some Sequence<UInt8>, headers: [String: String] = [:]) -> LoopbackReply {
        response(status: 200, reason: "OK", headers: headers, body: body)
    }

    /// A 404 response with a short text.
    public static var notFound: LoopbackReply { response(status: 404, reason: "Not Found", body: "not found".utf8) }

    /// Returns a redirect with an empty body. Sends `location` unchanged.
    public static func redirect(to location: String, status: Int = 302) -> LoopbackReply {
        response(status: status, headers: ["Location": location])
    }

    /// Returns a response in chunked coding with one chunk per element.
    public static func chunked(_ pieces: [[UInt8]], headers: [String: String] = [:]) -> LoopbackReply {
        let start = head(status: 200, headers: headers.merging(["Transfer-Encoding": "chunked"]) { given, _ in given })
        let chunks = pieces.map { LoopbackStep.bytes(chunk($0)) }
        return LoopbackReply(steps: [.text(start)] + chunks + [.text("0\r\n\r\n")])
    }

    /// Returns the response of an origin with a strong entity tag, which supports ranges: 206, 416 or 200.
    ///
    /// - Parameter cut: The number of body bytes after which the connection is closed. `nil` sends the complete body.
    public static func resumable(
        _ body: [UInt8], tag: String, to request: LoopbackRequest, cut: Int? = nil
    ) -> LoopbackReply {
        let wanted = request.headers["range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        let isSame = request.headers["if-range"].map { $0 == tag } ?? true
        guard let wanted, isSame else { return cutOff(200, ["ETag": tag], body[...], cut) }
        guard wanted < body.count else {
            return response(status: 416, headers: ["Content-Range": "bytes */\(body.count)"])
        }
        let range = "bytes \(wanted)-\(body.count - 1)/\(body.count)"
        return cutOff(206, ["ETag": tag, "Content-Range": range], body[wanted...], cut)
    }

    private static func cutOff(
        _ status: Int, _ headers: [String: String], _ body: ArraySlice<UInt8>, _ cut: Int?
    ) -> LoopbackReply {
        let length = ["Content-Length": "\(body.count)"]
        let head = head(status: status, headers: headers.merging(length) { given, _ in given })
        let sent = LoopbackStep.bytes(Array(body.prefix(cut ?? body.count)))
        return LoopbackReply(steps: [.text(head), sent] + (cut == nil ? [] : [.close]))
    }

    /// Returns a response head as text, including the blank line.
    public static func head(status: Int, reason: String = "OK", headers: [String: String] = [:]) -> String {
        let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
        return "HTTP/1.1 \(status) \(reason)\r\n\(lines.joined())\r\n"
    }

    /// Returns a chunk of chunked coding.
    public static func chunk(_ piece: [UInt8]) -> [UInt8] {
        Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
    }
}
