/// The value of a Content-Range field: `bytes 0-99/1234` (RFC 9110, 14.4).
struct ContentRange: Equatable {
    let range: ClosedRange<Int>
    /// The length of the complete body. `nil` if the origin doesn't know it.
    let totalBytes: Int?

    /// Parses a value. Returns nil for other units, and if the value violates the grammar or is inconsistent.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last
        else { return nil }
        range = first...last
        totalBytes = Self.number(parts[1])
        guard parts[1] == "*" || totalBytes.map({ $0 > last }) == true else { return nil }
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
    }
}
