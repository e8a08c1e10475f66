public import HTTPTypes
package import ImageCore
import ImageTransporting

/// Maps all URLs of the same image to one cache key.
///
/// URLs are always normalized as in the memory cache (RFC 3986, 6.2.2, 6.2.3). A digest replaces user and password.
/// Rules leave out query items that don't identify the image, such as the signature of a signed URL.
public struct CacheKeyRules: Hashable, Sendable {
    /// The query items that are part of the key.
    @nonexhaustive
    public enum Query: Hashable, Sendable {
        /// All items except those with these names. Names are percent-encoded, as in the URL.
        case dropping(Set<String>)
        /// Only the items with these names. Names are percent-encoded, as in the URL.
        case keeping(Set<String>)

        fileprivate var normalized: Query {
            switch self {
            case .dropping(let names): .dropping(Set(names.map(\.withNormalizedPercentEncoding)))
            case .keeping(let names): .keeping(Set(names.map(\.withNormalizedPercentEncoding)))
            }
        }

        fileprivate func keeps(_ name: String) -> Bool {
            switch self {
            case .dropping(let names): !names.contains(name)
            case .keeping(let names): names.contains(name)
            }
        }
    }

    private let rules: [String: Query]

    /// Creates rules. Without any, the whole URL is the key.
    ///
    /// - Parameter rules: The rules by host, regardless of case: `cdn.example.com` for one host, `*.example.com` for
    ///   its subdomains, and `*` for all other hosts. The most specific rule applies.
    public init(_ rules: [String: Query] = [:]) {
        self.rules = Dictionary(rules.map { ($0.key.lowercased(), $0.value.normalized) }) { $1 }
    }

    /// Whether there are no rules: the key is the normalized URL.
    package var isEmpty: Bool { rules.isEmpty }

    /// Returns the cache key of a URL. It contains only a digest of the identity.
    package func key(for url: URL, identity: CacheIdentity = .anonymous) -> String {
        key(for: url, address: nil, identity: identity)
    }

    /// - Parameter address: The key of the URL without an identity, if it is known.
    func key(for url: URL, address: String?, identity: CacheIdentity) -> String {
        let address = address ?? self.address(of: url)
        return identity == .anonymous ? address : "\(address) \(identity.digest)"
    }

    /// Returns the URL with the query items that are part of the key, and without user and password.
    func storable(_ url: URL) -> URL {
        let url = url.withoutCredentials
        return rules.isEmpty ? url : URL(string: address(of: url)) ?? url
    }

    private func address(of url: URL) -> String {
        let text = url.normalizedText
        guard !rules.isEmpty, let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")),
            let host = url.host()?.lowercased(), let rule = rule(for: host)
        else { return text }
        let items = text[mark...].dropFirst().split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter { rule.keeps(String($0.prefix { $0 != "=" })) }
        return kept.isEmpty ? String(text[..<mark]) : "\(text[...mark])\(kept.joined(separator: "&"))"
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
    /// UTF-8, because texts with equal characters can have different bytes.
    private let authorization: [UInt8]?
    private let partition: [UInt8]?

    /// Creates an identity. Without arguments, it is equal to `anonymous`.
    ///
    /// - Parameters:
    ///   - authorization: The value of the Authorization field.
    ///   - partition: The app's name for an account, a profile or a tenant.
    package init(authorization: String? = nil, partition: String? = nil) {
        self.authorization = authorization.map { Array($0.utf8) }
        self.partition = partition.map { Array($0.utf8) }
    }

    /// Creates an identity from the bytes of the Authorization fields of a request.
    public init(_ headers: HTTPFields, partition: String? = nil) {
        self.init(authorization: headers[byteTexts: .authorization], partition: partition)
    }

    /// The identity of requests without credentials.
    package static let anonymous = CacheIdentity()

    /// The SHA-256 digest of both parts and their lengths.
    var digest: String {
        let parts = [authorization, partition].map { $0.map { "\($0.count):".utf8 + $0 } ?? Array("-".utf8) }
        return SHA256.hexadecimalDigest(of: Array(parts.joined(separator: " ".utf8)))
    }
}
