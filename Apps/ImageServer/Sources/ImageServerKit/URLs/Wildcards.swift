import Foundation

/// A beginning of texts in which each `*` stands for any bytes but slashes, as in imgproxy's settings.
struct Wildcards: Hashable, Sendable {
    private let parts: [[UInt8]]

    /// - Parameter bytes: Returns the bytes between wildcards.
    init(_ pattern: some StringProtocol, bytes: (Substring) -> [UInt8] = { Array($0.utf8) }) {
        parts = Substring(pattern).split(separator: "*", omittingEmptySubsequences: false).map(bytes)
    }

    /// Returns what the wildcards stand for, the first ones as long as possible, and what follows the pattern; nil if
    /// the bytes don't begin like it.
    func match(_ bytes: ArraySlice<UInt8>) -> (wildcards: [ArraySlice<UInt8>], rest: ArraySlice<UInt8>)? {
        bytes.starts(with: parts[0]) ? Self.match(parts.dropFirst(), bytes.dropFirst(parts[0].count)) : nil
    }

    private static func match(
        _ parts: ArraySlice<[UInt8]>, _ bytes: ArraySlice<UInt8>
    ) -> (wildcards: [ArraySlice<UInt8>], rest: ArraySlice<UInt8>)? {
        guard let part = parts.first else { return ([], bytes) }
        let longest = bytes.prefix { $0 != OriginPath.slash }
        for end in (longest.startIndex...longest.endIndex).reversed() where bytes[end...].starts(with: part) {
            guard let found = match(parts.dropFirst(), bytes[end...].dropFirst(part.count)) else { continue }
            return ([bytes[..<end]] + found.wildcards, found.rest)
        }
        return nil
    }
}

/// What replaces the beginning of a source, written as `pattern=replacement`.
struct SourceReplacement: Hashable, Sendable {
    private let pattern: Wildcards
    /// In which `${1}` is what the first wildcard stands for.
    private let replacement: String

    /// Returns nil if a text has no pattern and replacement.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        pattern = Wildcards(parts[0])
        replacement = String(parts[1])
    }

    /// Returns a source with its beginning replaced, if that is like the pattern.
    func applied(to source: String) -> String {
        guard let match = pattern.match(Array(source.utf8)[...]) else { return source }
        let start = replacement.replacing(/\$\{?(\d+)\}?/) { number in
            let index = (Int(number.1) ?? 0) - 1
            return match.wildcards.indices.contains(index)
                ? String(decoding: match.wildcards[index], as: UTF8.self) : ""
        }
        return start + String(decoding: match.rest, as: UTF8.self)
    }
}
