import Foundation

/// Why a source must not be loaded.
enum OriginRefusal: Error, Hashable, Sendable {
    /// The scheme is neither http nor https, nor `file` with folders.
    case scheme(String)
    /// The URL has a user name or a password.
    case credentials
    case port(Int)
    /// The URL has no host, or one with characters that no host name has.
    case host(String)
    /// The origin is not in the list of allowed ones.
    case origin(String)
    /// The file is outside of the allowed folders.
    case file
    /// The URL names a bucket, and nothing in it.
    case bucketWithoutKey
    /// The query of an object is not the ID of a version.
    case bucketQuery
    /// The URL is longer than the limit.
    case tooLong
}

extension OriginRefusal: CustomStringConvertible {
    var description: String {
        switch self {
        case .scheme(let scheme): "the scheme \(scheme) is not allowed"
        case .credentials: "URLs with credentials are not allowed"
        case .port(let port): "the port \(port) is not allowed"
        case .host(let host): "not a host name: \(host)"
        case .origin(let origin): "the origin \(origin) is not allowed"
        case .file: "the file is outside of the allowed folders"
        case .bucketWithoutKey: "the URL of an object needs a key"
        case .bucketQuery: "the query of an object can only be the ID of a version"
        case .tooLong: "the URL is longer than \(OriginRules.maxByteCount) bytes"
        }
    }
}

/// Decides by its URL whether a source may be loaded. `AddressRules` decides about its address.
struct OriginRules: Sendable {
    /// The allowed origins; nil to allow all.
    var allowedOrigins: [AllowedOrigin]?
    /// The allowed ports. An entry of `allowedOrigins` with a port allows that port, too.
    var allowedPorts: Set<Int>
    /// The folders whose files are allowed. The transport also checks where symbolic links lead to.
    let fileRoots: [URL]
    /// The schemes of buckets that are allowed, in the buckets and folders of `allowedOrigins`.
    var bucketSchemes: Set<BucketScheme> = []
    /// The allowed buckets of each scheme that has entries.
    var allowedBuckets: [AllowedOrigin] = []
    /// The decoded paths of `fileRoots`, each with a slash at its end.
    private let folders: [[UInt8]]
    /// The length of the longest URL in bytes.
    static let maxByteCount = 8_192

    /// Creates rules. By default, any origin at ports 80 and 443 is allowed, and no file.
    init(allowedOrigins: [AllowedOrigin]? = nil, allowedPorts: Set<Int> = [80, 443], fileRoots: [URL] = []) {
        self.allowedOrigins = allowedOrigins
        self.allowedPorts = allowedPorts
        self.fileRoots = fileRoots
        folders = fileRoots.map { OriginPath($0.absoluteURL).withoutDotSegments + [OriginPath.slash] }
    }

    /// Throws the reason if a URL must not be loaded.
    func check(_ url: URL) throws(OriginRefusal) {
        guard url.absoluteString.utf8.count <= Self.maxByteCount else { throw .tooLong }
        let scheme = url.scheme?.lowercased() ?? ""
        if scheme == "file", !folders.isEmpty { return try checkFile(url) }
        if let scheme = BucketScheme(rawValue: scheme), bucketSchemes.contains(scheme) {
            return try checkBucket(url, scheme)
        }
        guard scheme == "http" || scheme == "https" else { throw .scheme(scheme) }
        guard url.user() == nil, url.password() == nil, !hasUserInfo(url) else { throw .credentials }
        let host = (url.host() ?? "").lowercased().filter { $0 != "[" && $0 != "]" }
        guard Self.isPlain(host) else { throw .host(url.host() ?? "") }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        let path = OriginPath(url)
        let matches = allowedOrigins?.filter { $0.matches(path, scheme: scheme, host: host, port: port) }
        if let matches, matches.isEmpty { throw .origin("\(scheme)://\(host):\(port)") }
        let namesPort = matches?.contains { $0.port == port } ?? false
        guard allowedPorts.contains(port) || namesPort else { throw .port(port) }
    }

    private func checkBucket(_ url: URL, _ scheme: BucketScheme) throws(OriginRefusal) {
        let (bucket, key) = (url.host() ?? "", OriginPath(url))
        guard Self.isPlain(bucket), bucket.contains(where: { $0 != "." }), url.port == nil, !hasUserInfo(url) else {
            throw .host(bucket)
        }
        // Some servers answer a key of slashes like none: with the list of the bucket.
        guard key.bytes.contains(where: { $0 != OriginPath.slash }) else { throw .bucketWithoutKey }
        // Others ask for something else than an object, such as its access list, with the rights of this server.
        guard url.query().map({ scheme.versionItem != nil && Self.isVersion($0) }) ?? true else { throw .bucketQuery }
        let buckets = allowedBuckets.filter { $0.scheme == scheme.rawValue }
        let isAllowed = [allowedOrigins, buckets.isEmpty ? nil : buckets].compactMap(\.self).allSatisfy {
            $0.contains { $0.matches(key, scheme: scheme.rawValue, host: bucket, port: 0) }
        }
        guard isAllowed, key.staysInFolder else { throw .origin("\(scheme.rawValue)://\(bucket)") }
    }

    /// Whether a query has only the characters of versions' IDs, and begins no list of items.
    private static func isVersion(_ query: String) -> Bool {
        !query.isEmpty && query.utf8.count <= 1_024
            && query.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }
    }

    /// Throws if a file is outside of the folders by its path. Doesn't use the file system, so that the response
    /// doesn't depend on which files exist there.
    private func checkFile(_ url: URL) throws(OriginRefusal) {
        let file = OriginPath(url).withoutDotSegments
        guard !file.contains(0), folders.contains(where: { file.starts(with: $0) }) else { throw .file }
    }

    /// Whether the authority has an `@`. Parsers disagree about several of them and about a backslash.
    private func hasUserInfo(_ url: URL) -> Bool {
        let text = url.absoluteString
        guard let start = text.firstRange(of: "//")?.upperBound else { return false }
        let authority = text[start...].prefix { !"/?#".contains($0) }
        return authority.contains("@") || authority.contains("\\")
    }

    /// Whether a host has only the characters of names and addresses. International names must be in Punycode, so that
    /// no transport converts a look-alike character into a dot or a digit.
    private static func isPlain(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.count <= 253
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"): true
                default: false
                }
            }
    }
}
