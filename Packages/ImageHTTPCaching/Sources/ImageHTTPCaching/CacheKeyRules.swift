import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Makes one key of all addresses that mean the same image.
///
/// Always: scheme and host in lower case, no default port, no fragment, no user or password, `/` for an empty path
/// (RFC 3986, 6.2.2, 6.2.3). By rules: query items that don't matter, as the signature of a signed URL, are left out for the hosts that are
/// named.
public struct CacheKeyRules: Hashable, Sendable {
    /// Which items of a query count.
    public enum Query: Hashable, Sendable {
        /// All but these. Names as they are in the URL, percent-encoded.
        case dropping(Set<String>)
        /// These alone.
        case keeping(Set<String>)
    }

    private let rules: [String: Query]

    /// - Parameter rules: by host, in any case: `cdn.example.com`; `*.example.com` for all hosts below, and `*` for all others.
    public init(_ rules: [String: Query] = [:]) {
        self.rules = Dictionary(rules.map { ($0.key.lowercased(), $0.value) }) { $1 }
    }

    /// - Parameter identity: The identity of the user, if responses differ by user.
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

    /// The rule with the longest name that covers the host.
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

/// On whose behalf an image is fetched. What one identity got is never shown to another.
public struct CacheIdentity: Hashable, Sendable {
    /// The value of the Authorization field.
    public var authorization: String?
    /// A name of the application's for an account, a profile, a tenant.
    public var partition: String?

    public init(authorization: String? = nil, partition: String? = nil) {
        self.authorization = authorization
        self.partition = partition
    }

    public static let anonymous = CacheIdentity()

    /// 64 digits from which the credentials can't be found: SHA-256 over both parts with their lengths.
    var digest: String {
        let parts = [authorization, partition].map { part in part.map { "\($0.utf8.count):\($0)" } ?? "-" }
        return SHA256.hexadecimalDigest(of: Array(parts.joined(separator: " ").utf8))
    }
}

extension URL {
    /// The port, unless it is the scheme's own.
    var explicitPort: Int? {
        let standard = ["http": 80, "https": 443][scheme?.lowercased() ?? ""]
        return port == standard ? nil : port
    }
}
