import ImageTransporting

/// An entry of the list of allowed sources: a host, perhaps with a scheme, a port and a path.
///
/// `example.com`, `*.example.com` for the names below it, `https://example.com`, `example.com:8080`, `[2001:db8::1]`,
/// and `https://example.com/images/` for the sources below that path.
public struct AllowedOrigin: Hashable, Sendable {
    private let scheme: String?
    private let host: String
    /// The port; nil for those of the scheme and of the settings.
    let port: Int?
    /// The decoded path, with a slash at its end; nil for all paths.
    private let folder: [UInt8]?

    /// Parses an entry. Throws the reason why it can't be one, as text for humans.
    public init(_ text: String) throws(InvalidEntry) {
        let separator = text.firstRange(of: "://")
        scheme = separator.map { text[..<$0.lowerBound].lowercased() }
        let rest = text[(separator?.upperBound ?? text.startIndex)...]
        let authority = rest.prefix { $0 != "/" }
        let name =
            authority.hasPrefix("[") ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        host = name.lowercased()
        port = try Self.port(authority, after: name)
        let path = rest.dropFirst(authority.count)
        folder = path.isEmpty || path == "/" ? nil : try Self.folder(path)
        if let scheme, !["http", "https", "s3"].contains(scheme) {
            throw InvalidEntry("\(scheme) is not http, https or s3")
        }
        guard authority.hasPrefix("[") ? TransportAddress(host) != nil && authority.contains("]") : Self.isName(host)
        else {
            throw InvalidEntry(
                !host.isEmpty ? "\(host) is not a host" : scheme == "s3" ? "name the bucket" : "it has no host")
        }
    }

    /// Returns whether a source is one that the entry allows, apart from the ports that are always allowed.
    func matches(_ path: OriginPath, scheme: String, host: String, port: Int) -> Bool {
        if let wanted = self.scheme, wanted != scheme { return false }
        if let wanted = self.port, wanted != port { return false }
        guard self.host.hasPrefix("*.") ? host.hasSuffix(self.host.dropFirst()) : host == self.host else {
            return false
        }
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

    private static func folder(_ path: Substring) throws(InvalidEntry) -> [UInt8] {
        guard !path.contains(where: { "?#*".contains($0) }) else {
            throw InvalidEntry("\(path) has a query, a fragment or a wildcard")
        }
        let folder = OriginPath(path)
        guard folder.staysInFolder else { throw InvalidEntry("\(path) has dot segments") }
        return folder.bytes.last == OriginPath.slash ? folder.bytes : folder.bytes + [OriginPath.slash]
    }

    private static func isName(_ host: String) -> Bool {
        let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
        return !name.isEmpty && !name.hasPrefix(".")
            && name.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789-_.".contains)
    }

    /// Why a text is no entry.
    public struct InvalidEntry: Error, Hashable, CustomStringConvertible {
        /// The reason, for humans.
        public let description: String

        init(_ description: String) { self.description = description }
    }
}
