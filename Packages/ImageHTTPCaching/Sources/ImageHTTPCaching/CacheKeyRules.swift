import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Maps all URLs of the same image to one cache key.
///
/// URLs are always normalized (RFC 3986, 6.2.2, 6.2.3): scheme and host in lowercase, no default port, fragment, user
/// or password, and `/` for an empty path. Rules leave out query items that don't identify the image, such as the
/// signature of a signed URL.
public struct CacheKeyRules: Hashable, Sendable {
    /// The query items that are part of the key.
    public enum Query: Hashable, Sendable {
        /// All items except those with these names. Names are percent-encoded, as in the URL.
        case dropping(Set<String>)
        /// Only the items with these names. Names are percent-encoded, as in the URL.
        case keeping(Set<String>)
    }

    private let rules: [String: Query]

    /// Creates rules.
    ///
    /// - Parameter rules: The rules by host, regardless of case: `cdn.example.com` for one host, `*.example.com` for
    ///   all its subdomains, and `*` for all other hosts. The most specific rule applies.
    public init(_ rules: [String: Query] = [:]) {
        self.rules = Dictionary(rules.map { ($0.key.lowercased(), $0.value) }) { $1 }
    }

    /// Returns the cache key of a URL.
    ///
    /// - Parameter identity: The identity of the user, if responses differ by user. The key contains only a digest of
    ///   it.
    public func key(for url: URL, identity: CacheIdentity = .anonymous) -> String {
        let address = canonical(url)
        return identity == .anonymous ? address : "\(address) \(identity.digest)"
    }

    private func canonical(_ url: URL) -> String {
        guard let host = url.host(percentEncoded: true)?.lowercased(), let scheme = url.scheme?.lowercased() else {
            return url.absoluteString.prefix { $0 != "#" }.description
        }
        let port = url.explicitPort.map { ":\($0)" } ?? ""
        let path = url.path(percentEncoded: true)
        let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme)://\(bracketed)\(port)\(path.isEmpty ? "/" : path)" + query(of: url, host: host)
    }

    private func query(of url: URL, host: String) -> String {
        guard let query = url.query(percentEncoded: true) else { return "" }
        guard let rule = rule(for: host) else { return "?\(query)" }
        let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { item in
            let name = String(item.prefix { $0 != "=" })
            switch rule {
            case .dropping(let names): return !names.contains(name)
            case .keeping(let names): return names.contains(name)
            }
        }
        return kept.isEmpty ? "" : "?\(kept.joined(separator: "&"))"
    }

    /// Returns the rule with the longest name that matches the host.
    private func rule(for host: String) -> Query? {
        if let exact = rules[host] { return exact }
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let wild = rules["*.\(rest)"] { return wild }
        }
        return rules["*"]
    }
}

/// The user for whom an image is fetched. A response that was fetched for one identity is never returned to another.
public struct CacheIdentity: Hashable, Sendable {
    /// The value of the Authorization field.
    public var authorization: String?
    /// The app's name for an account, a profile or a tenant.
    public var partition: String?

    /// Creates an identity. Without arguments, it is equal to `anonymous`.
    public init(authorization: String? = nil, partition: String? = nil) {
        self.authorization = authorization
        self.partition = partition
    }

    /// The identity of requests without credentials.
    public static let anonymous = CacheIdentity()

    /// The SHA-256 digest of both parts and their lengths, in 64 hexadecimal digits. It does not reveal the
    /// credentials.
    var digest: String {
        let parts = [authorization, partition].map { part in part.map { "\($0.utf8.count):\($0)" } ?? "-" }
        return SHA256.hexadecimalDigest(of: Array(parts.joined(separator: " ").utf8))
    }
}

extension URL {
    /// The port, or `nil` if it is the default port of the scheme.
    var explicitPort: Int? {
        let standard = ["http": 80, "https": 443][scheme?.lowercased() ?? ""]
        return port == standard ? nil : port
    }
}
