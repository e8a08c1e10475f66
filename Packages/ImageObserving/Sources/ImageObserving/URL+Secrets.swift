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
        var rest = prefix { $0 != "?" && $0 != "#" }
        // A proxy's URL has that of its source in its path.
        while let slashes = rest.firstRange(of: "//") {
            shown += rest[..<slashes.upperBound]
            rest = rest[slashes.upperBound...]
            if let at = rest.prefix(while: { $0 != "/" }).lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        }
        return shown + rest
    }
}
