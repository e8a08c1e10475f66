import ImageTransporting

/// An entry of the list of allowed sources: a host, perhaps with a scheme, a port and a path.
///
/// `example.com`, `*.example.com` for the names below it, `https://example.com`, `example.com:8080`, `[2001:db8::1]`,
/// and `https://example.com/images/` for the sources below that path. A `*` stands for any characters but slashes, also
/// in paths, and `s3://` for any bucket. `local://` is an entry of imgproxy for files, which have their own rules.
struct AllowedOrigin: Hashable, Sendable {
    let scheme: String?
    private let host: Wildcards
    /// The port; nil for those of the scheme and of the settings.
    let port: Int?
    /// The decoded path, with a slash or a wildcard at its end; nil for all paths.
    private let folder: Wildcards?

    /// Parses an entry. Throws the reason why it can't be one, as text for humans.
    init(_ text: String) throws(InvalidEntry) {
        let separator = text.firstRange(of: "://")
        scheme = separator.map { text[..<$0.lowerBound].lowercased() }
        let rest = text[(separator?.upperBound ?? text.startIndex)...]
        let authority = rest.prefix { $0 != "/" }
        let name =
            authority.hasPrefix("[") ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        let host = scheme != nil && name.isEmpty ? "*" : name.lowercased()
        self.host = Wildcards(host)
        port = try Self.port(authority, after: name)
        let path = rest.dropFirst(authority.count)
        folder = path.isEmpty || path == "/" ? nil : try Self.folder(path)
        let schemes = ["http", "https", "local"] + BucketScheme.allCases.map(\.rawValue)
        if let scheme, !schemes.contains(scheme) {
            throw InvalidEntry("\(scheme) is not http, https, s3, gs or abs")
        }
        guard authority.hasPrefix("[") ? TransportAddress(host) != nil && authority.contains("]") : Self.isName(host),
            host != "*" || scheme != nil
        else { throw InvalidEntry(host.isEmpty ? "it has no host" : "\(host) is not a host") }
    }

    /// Returns whether a source is one that the entry allows, apart from the ports that are always allowed.
    func matches(_ path: OriginPath, scheme: String, host: String, port: Int) -> Bool {
        if let wanted = self.scheme, wanted != scheme { return false }
        if let wanted = self.port, wanted != port { return false }
        guard let rest = self.host.match(Array(host.utf8)[...])?.rest, rest.isEmpty else { return false }
        return folder.map(path.isIn) ?? true
    }

    private static func port(_ authority: Substring, after name: Substring) throws(InvalidEntry) -> Int? {
        let rest = authority[name.endIndex...]
        let suffix = rest.hasPrefix("]") ? rest.dropFirst() : rest
        if suffix.isEmpty { return nil }
        guard suffix.hasPrefix(":"), let port = Int(suffix.dropFirst()), (1...65_535).contains(port) else {
            throw InvalidEntry("\(suffix) is not a port")
        }
        return port
    }

    private static func folder(_ path: Substring) throws(InvalidEntry) -> Wildcards {
        guard !path.contains(where: { "?#".contains($0) }) else {
            throw InvalidEntry("\(path) has a query or a fragment")
        }
        guard OriginPath(path).staysInFolder else { throw InvalidEntry("\(path) has dot segments") }
        let isOpen = path.hasSuffix("/") || path.hasSuffix("*")
        return Wildcards(isOpen ? path : path + "/") { OriginPath($0).bytes }
    }

    /// Whether a host is a name, perhaps with wildcards. One in front of a name would allow longer names, too.
    private static func isName(_ host: String) -> Bool {
        let name = host.hasPrefix("*.") ? host.dropFirst(2) : host == "*" ? "a" : host[...]
        return !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("*")
            && name.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789-_.*".contains)
    }

    struct InvalidEntry: Error, Hashable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}
