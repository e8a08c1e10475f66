/// The reason why bytes or text are not a ThumbHash.
public enum ThumbHashError: Error, Hashable, Sendable {
    /// The text is not base64.
    case notBase64
    /// The number of bytes is wrong. The first bytes determine how many are expected.
    case wrongLength(Int, expected: Int)
    /// The number of frequencies along the shorter side is zero, or larger than that along the longer side.
    case invalidFrequencyCount(Int)
}

extension ThumbHashError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notBase64: "not base64 text"
        case .wrongLength(let count, let expected): "a ThumbHash of \(count) bytes, expected \(expected)"
        case .invalidFrequencyCount(let count): "a ThumbHash with \(count) frequencies along the shorter side"
        }
    }
}
