/// The result of evaluating the conditions and the range of a request (RFC 9110 sections 13 and 14).
enum Selection: Hashable, Sendable {
    /// The whole representation is sent.
    case whole
    /// A range of bytes is sent.
    case part(Range<Int>)
    case notModified
    case unsatisfiable
}

/// The validators and the length of a representation.
struct Representation: Hashable, Sendable {
    /// The strong entity tag, including quotes.
    var entityTag: String
    var lastModified: HTTPDate
    var length: Int

    /// Returns the part of the representation that a request selects.
    func selection(for request: HTTPRequest) -> Selection {
        if isNotModified(request) { return .notModified }
        guard request.method == "GET", let range = request.header("range"), isRangeWanted(request) else {
            return .whole
        }
        return Self.part(range, of: length)
    }

    /// Evaluates `If-None-Match` with a weak comparison. Evaluates `If-Modified-Since` only if `If-None-Match` is
    /// absent.
    private func isNotModified(_ request: HTTPRequest) -> Bool {
        if let tags = request.header("if-none-match") {
            return tags.split(separator: ",").contains { tag in
                let trimmed = tag.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                return trimmed == "*" || (trimmed.hasPrefix("W/") ? trimmed.dropFirst(2) : trimmed) == entityTag
            }
        }
        guard let since = request.header("if-modified-since").flatMap(HTTPDate.init(text:)) else { return false }
        return lastModified <= since
    }

    /// Evaluates `If-Range` with a strong comparison: the tag or the date must be identical.
    private func isRangeWanted(_ request: HTTPRequest) -> Bool {
        guard let validator = request.header("if-range") else { return true }
        return validator == entityTag || HTTPDate(text: validator) == lastModified
    }

    /// Parses a single range of bytes. Multiple ranges, other units and invalid syntax select the whole, as the RFC
    /// allows.
    private static func part(_ header: String, of length: Int) -> Selection {
        guard header.lowercased().hasPrefix("bytes="), !header.contains(",") else { return .whole }
        let sides = header.dropFirst("bytes=".count).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } }) else { return .whole }
        let last = sides[1].isEmpty ? nil : Int(sides[1]) ?? .max
        guard !sides[0].isEmpty else {
            guard let suffix = last else { return .whole }
            return suffix == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - suffix)..<length)
        }
        guard let first = Int(sides[0]), first < length else { return .unsatisfiable }
        guard let last else { return .part(first..<length) }
        return last < first ? .whole : .part(first..<(min(last, length - 1) + 1))
    }
}
