public import ImageCore

extension URL {
    /// The URL without credentials, query and fragment, and without the content of a `data:` URL. For logs and traces.
    public var withoutSecrets: String {
        if scheme?.lowercased() == "data" {
            return absoluteString.prefix { $0 != "," && $0 != ";" } + ",…"
        }
        return absoluteString.withoutSecrets
    }
}

extension String {
    /// The text without the credentials, queries and fragments of the URLs in it.
    package var withoutSecrets: String {
        split(separator: " ", omittingEmptySubsequences: false).map(\.withoutURLSecrets).joined(separator: " ")
    }
}

extension Substring {
    fileprivate var withoutURLSecrets: String {
        let address = prefix { $0 != "?" && $0 != "#" }
        guard let slashes = address.firstRange(of: "//") else { return String(address) }
        let rest = address[slashes.upperBound...]
        guard let at = rest.prefix(while: { $0 != "/" }).lastIndex(of: "@") else { return String(address) }
        return String(address[..<slashes.upperBound] + rest[rest.index(after: at)...])
    }
}
