import HTTPTypes
import ImageCore
import ImageTransporting

extension TransportRequest {
    /// Creates the request that is looked up and sent.
    ///
    /// - Parameters:
    ///   - cacheUse: The use of the disk cache; nil for that of the context.
    ///   - priority: The priority of the operation; nil for none.
    init(
        _ context: RequestContext, _ cacheUse: CacheUse? = nil, following priority: LivePriority? = nil
    ) throws(ImageError) {
        try self.init(context.request, context.original, context.loader)
        self.cacheUse = cacheUse ?? context.cacheUse
        // Intermediate caches must validate with the server, too.
        if context.cacheUse.mode.needsServer, headers[.cacheControl] == nil { headers[.cacheControl] = "no-cache" }
        if let priority { self.priority = priority.value }
        livePriority = priority
    }

    /// - Parameter original: The original. An application's own fetch has a URL with its identifier.
    init(_ request: ImageRequest, _ original: OriginalKey, _ loader: ImageLoader) throws(ImageError) {
        let (identifier, limits) = (original.identifier, loader.configuration.transferOptions)
        var fields = HTTPFields()
        for (name, value) in request.url == nil ? [:] : request.headers {
            guard let name = HTTPField.Name(name) else { throw .invalidHeader(name) }
            fields.append(HTTPField(name: name, value: value))
        }
        let url = request.url ?? URL(fetchNamed: identifier, isPrivate: !request.headers.isEmpty)
        guard let url else { throw .invalidURL(identifier) }
        self.init(
            url: url, headers: fields, connectTimeout: limits.connectTimeout, stallTimeout: limits.stallTimeout,
            totalTimeout: limits.totalTimeout, bodyByteLimit: limits.bodyByteLimit, maxRedirects: limits.maxRedirects)
        account = original.account
        minBytesPerSecond = limits.minBytesPerSecond
        userInfo = request.userInfo
        isIncremental = request.isProgressive
        addHints(of: loader.configuration, for: request)
        if let url = request.url, request.identifier == nil, let text = loader.configuration.urlIdentifier?(url) {
            // Caches separate the parts of a key by spaces.
            let hasSpace = text.utf8.contains(UInt8(ascii: " "))
            self.identifier = hasSpace ? SHA256.hexadecimalDigest(of: Array(text.utf8)) : text
        } else if !identifier.utf8.contains(UInt8(ascii: " ")) {
            // The identifier of a URL without headers and `identifier` is its key. All others have a space.
            self.identifier = identifier
        }
    }

    /// Returns the time for which a stored original is fresh: forever if only the application can fetch it.
    func lifetime(_ lifetime: Duration) -> Duration {
        url.scheme == URL.fetchScheme ? .seconds(1 << 31 as Int64) : lifetime
    }
}

extension URL {
    fileprivate static let fetchScheme = "fetch"

    /// Creates the URL under which the original of an application's own fetch is stored.
    ///
    /// - Parameter isPrivate: Whether the name depends on headers. Then it is the user, of which caches store no text.
    fileprivate init?(fetchNamed identifier: String, isPrivate: Bool) {
        let name = identifier.utf8.map { byte in
            let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        }
        self.init(
            string: isPrivate
                ? "\(Self.fetchScheme)://\(name.joined())@private" : "\(Self.fetchScheme):?\(name.joined())")
    }
}
