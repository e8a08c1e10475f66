/// A way in which an answer goes wrong on purpose.
public enum Fault: Hashable, Sendable {
    /// The connection is reset instead of an answer.
    case reset
    /// The right Content-Length, half of the body, and an orderly close.
    case truncate
    /// Half of the body, and then nothing, until the client gives up.
    case stall
    /// Bytes that are no HTTP.
    case garbage
    /// A Content-Length of half of what is sent.
    case wrongLength
    /// A correct answer whose body, said to be an image, is a web page.
    case notAImage
    /// A reset after this many bytes of the body.
    case dropAfter(Int)
    /// This status instead of the answer.
    case status(Int)

    /// `reset`, `truncate`, `stall`, `garbage`, `wrong-length`, `not-a-image`, `drop-after=N` or `status=N`.
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
        "not-a-image": .notAImage,
    ]
}
