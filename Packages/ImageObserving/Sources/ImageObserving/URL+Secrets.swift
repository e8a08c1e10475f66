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
        var rest = prefix(upTo: firstRange(ofAny: "?", "#", "%3F", "%23")?.lowerBound ?? endIndex)
        // A proxy's URL has that of its source in its path, often percent-encoded.
        while let slashes = rest.firstRange(ofAny: "//", "%2F%2F") {
            shown += rest[..<slashes.upperBound]
            rest = rest[slashes.upperBound...]
            var authority = rest.prefix(upTo: rest.firstRange(ofAny: "/", "%2F")?.lowerBound ?? rest.endIndex)
            while let at = authority.firstRange(ofAny: "@", "%40") { authority = authority[at.upperBound...] }
            rest = rest[authority.startIndex...]
        }
        return shown + rest
    }

    /// Returns the first range that has one of these texts, in upper or lower case.
    private func firstRange(ofAny texts: String...) -> Range<Index>? {
        let ranges = texts.flatMap { [$0, $0.lowercased()] }.compactMap { firstRange(of: $0) }
        return ranges.min { $0.lowerBound < $1.lowerBound }
    }
}
