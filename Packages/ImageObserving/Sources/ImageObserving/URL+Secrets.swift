package import ImageCore

extension URL {
    /// The URL without credentials, query and fragment, and without the content of a `data:` URL. For logs and traces.
    package var withoutSecrets: String {
        if scheme?.lowercased() == "data" {
            return absoluteString.prefix { $0 != "," && $0 != ";" } + ",…"
        }
        return absoluteString.withoutSecrets
    }
}

extension String {
    /// The text without the credentials, queries and fragments of the URLs in it, which end at a space.
    var withoutSecrets: String {
        split(separator: " ", omittingEmptySubsequences: false).map(\.withoutURLSecrets).joined(separator: " ")
    }
}

extension Substring {
    fileprivate var withoutURLSecrets: String {
        var shown = ""
        var rest = self
        while let mark = rest.firstRange(ofAny: ["//", "%2F%2F", "%2F%2f", "%2f%2F", "?", "#", "%3F", "%23"]) {
            let isEncoded = rest[mark].first == "%"
            guard rest[mark].count == (isEncoded ? 6 : 2) else { return shown + rest[..<mark.lowerBound] }
            shown += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...]
            // A proxy's URL has that of its source in its path, often percent-encoded. In credentials of others, what is
            // encoded ends nothing.
            let ends = ["/", "?", "#"] + (isEncoded ? ["%2F", "%3F", "%23"] : [])
            var authority = rest.prefix(upTo: rest.firstRange(ofAny: ends)?.lowerBound ?? rest.endIndex)
            while let at = authority.firstRange(ofAny: ["@", "%40"]) { authority = authority[at.upperBound...] }
            rest = rest[authority.startIndex...]
        }
        return shown + rest
    }

    /// Returns the first range that has one of these texts, also in lower case.
    private func firstRange(ofAny texts: [String]) -> Range<Index>? {
        let ranges = texts.flatMap { [$0, $0.lowercased()] }.compactMap { firstRange(of: $0) }
        return ranges.min { $0.lowerBound < $1.lowerBound }
    }
}
