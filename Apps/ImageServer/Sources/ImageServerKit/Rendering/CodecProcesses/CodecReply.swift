import Foundation

/// What the process of a `CodecJob` writes: the outcome in a byte, the number of bytes that follow in eight, and these.
struct CodecReply {
    enum Outcome: UInt8 {
        /// All rows, or the encoded file.
        case complete
        /// The rows before the end of a truncated file.
        case truncated
        /// Why the file is malformed.
        case malformed
        /// Why the codec can't do it.
        case unsupported
    }

    static let headByteCount = 9
    private static let maxTextBytes = 4_096

    let outcome: Outcome
    let body: [UInt8]

    init(_ outcome: Outcome, _ body: [UInt8]) {
        self.outcome = outcome
        self.body = body
    }

    init(_ outcome: Outcome, _ text: String) { self.init(outcome, Array(text.utf8.prefix(Self.maxTextBytes))) }

    var data: Data {
        let count = UInt64(body.count)
        return Data([outcome.rawValue] + (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }) + body
    }

    /// Returns the outcome and the number of bytes that follow the first nine. Returns nil for more than there can be: a
    /// file may have taken over the process.
    ///
    /// - Parameter limit: The most bytes of rows or of an encoded file.
    static func parse(head: [UInt8], limit: Int) -> (Outcome, byteCount: Int)? {
        let count = head.dropFirst().reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard let outcome = Outcome(rawValue: head[0]), let byteCount = Int(exactly: count),
            byteCount <= ([.complete, .truncated].contains(outcome) ? limit : maxTextBytes)
        else { return nil }
        return (outcome, byteCount)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}
