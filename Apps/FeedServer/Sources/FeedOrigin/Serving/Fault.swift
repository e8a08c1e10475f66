import LoopbackServer

/// An injected failure of a response.
public enum Fault: Hashable, Sendable {
    /// Resets the connection instead of responding.
    case reset
    /// Sends the correct `Content-Length` and half of the body, then closes the connection.
    case truncate
    /// Sends half of the body, then nothing until the client closes the connection.
    case stall
    /// Sends random bytes that are not HTTP.
    case garbage
    /// Sends a `Content-Length` of half of the body's length, and the whole body.
    case wrongLength
    /// Sends a web page with status 200 and the content type of an image.
    case notAnImage
    /// Resets the connection after this many bytes of the body.
    case dropAfter(Int)
    /// Sends an error response with this status.
    case status(Int)

    /// Parses `reset`, `truncate`, `stall`, `garbage`, `wrong-length`, `not-a-image`, `drop-after=N` or `status=N`.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        let number = parts.count == 2 ? Int(parts[1]) : nil
        switch (parts.first, number) {
        case ("drop-after", let number?) where number >= 0: self = .dropAfter(number)
        case ("status", let number?) where (200...599).contains(number): self = .status(number)
        default:
            guard let fault = Self.plain[text] else { return nil }
            self = fault
        }
    }

    private static let plain: [String: Fault] = [
        "reset": .reset, "truncate": .truncate, "stall": .stall, "garbage": .garbage, "wrong-length": .wrongLength,
        "not-a-image": .notAnImage,
    ]

    /// Returns the steps that send a response with this failure.
    func steps(sending response: LoopbackResponse) -> [LoopbackStep] {
        let half = response.body.count / 2
        switch self {
        case .reset: return [.reset]
        case .truncate: return response.steps(until: half) + [.close]
        case .stall: return response.steps(until: half) + [.awaitDisconnect]
        case .garbage: return [.bytes(Self.noise), .close]
        case .dropAfter(let count): return response.steps(until: count) + [.reset]
        case .status(let status): return LoopbackResponse.failure(status, "status \(status), as requested").steps()
        case .wrongLength:
            var mislabeled = response
            mislabeled.headers["Content-Length"] = "\(half)"
            return mislabeled.steps() + [.close]
        case .notAnImage:
            var page = response
            page.body = Array("<!DOCTYPE html><title>Sign in</title><p>This network needs you to sign in first.".utf8)
            return page.steps()
        }
    }

    private static let noise: [UInt8] = {
        var numbers = SeededGenerator(seed: 404)
        return (0..<512).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    }()
}

extension LoopbackResponse {
    /// Returns an error response with a text.
    static func failure(_ status: Int, _ text: String, headers: [String: String] = [:]) -> LoopbackResponse {
        let headers = headers.merging(["Content-Type": "text/plain", "Cache-Control": "no-store"]) { $1 }
        return LoopbackResponse(status: status, headers: headers, body: Array("\(text)\n".utf8))
    }

    /// Returns the steps that send the head and the first bytes of the body.
    func steps(until end: Int = .max) -> [LoopbackStep] { [.text(head), .bytes(Array(body.prefix(end)))] }
}
