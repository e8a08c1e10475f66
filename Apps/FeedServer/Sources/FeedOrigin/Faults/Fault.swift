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
        guard parts.count == 2 else {
            guard let fault = Self.plain[text] else { return nil }
            self = fault
            return
        }
        guard let number = Int(parts[1]) else { return nil }
        switch parts[0] {
        case "drop-after" where number >= 0: self = .dropAfter(number)
        case "status" where (200...599).contains(number): self = .status(number)
        default: return nil
        }
    }

    static let plain: [String: Fault] = [
        "reset": .reset, "truncate": .truncate, "stall": .stall, "garbage": .garbage, "wrong-length": .wrongLength,
        "not-a-image": .notAnImage,
    ]
}
