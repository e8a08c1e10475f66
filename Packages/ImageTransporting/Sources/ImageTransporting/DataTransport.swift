public import HTTPTypes
public import ImageCore

/// Sends requests and returns responses whose bodies are read piece by piece.
///
/// Promises:
/// - `send` returns the head of the final response. Informational responses are skipped, and redirects are followed
///   if the request says so. Every status is a response, not an error.
/// - The body of the request is sent, if the transport has a server to send it to.
/// - While the consumer requests no piece, the transport buffers a bounded number of bytes and pauses the sender.
/// - A body that is shorter than announced, or ends inside a chunk, throws `.closedEarly`.
/// - A body that arrives slower than `minBytesPerSecond` throws `.timedOut(.body)`.
/// - A body above `bodyByteLimit` throws `.tooLarge`, or `.decodedBodyTooLarge` if it was encoded. A head with trailers
///   above `headByteLimit` throws `.headTooLarge`.
/// - A body in an unknown content coding is delivered as received.
/// - Cancelling the task that waits throws `.cancelled` and ends the transfer. Releasing the body ends it, too.
/// - TLS certificates and host names are always verified.
public protocol DataTransport: Sendable {
    /// Sends a request. Returns when the head of the final response has arrived.
    ///
    /// The kind of an error decides about retries and circuit breakers. `TransportError(_:)` converts that of a client.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

    /// Closes the connections without transfers, because the network has changed. Does nothing by default. A transport
    /// that wraps another one passes the call on.
    func closeIdleConnections()
}

extension DataTransport {
    public func closeIdleConnections() {}
}

/// A request and its limits.
public struct TransportRequest: Sendable {
    /// The address of the resource.
    public var url: URL
    /// The HTTP method.
    public var method: HTTPRequest.Method
    /// The header fields to send.
    public var headers: HTTPFields
    /// The body to send. It is held in memory, and sent again if a redirect keeps the method. HEAD requests send none.
    public var body: Data?
    /// The maximum time to establish a connection, including the TLS handshake.
    public var connectTimeout: Duration
    /// The maximum time without a byte while the caller waits for the head or the body.
    public var stallTimeout: Duration
    /// The minimum number of bytes per second that arrive while the caller waits, averaged over `stallTimeout` from the
    /// first byte. Below it, the transfer times out. Set it to 0 for streams, such as of events.
    public var minBytesPerSecond = TransferOptions.defaultMinBytesPerSecond
    /// The maximum time from `send` to the last byte, including redirects and all waiting. `nil` means no limit.
    public var totalTimeout: Duration?
    /// The maximum size of the response head in bytes as received, including preceding informational responses and
    /// trailers.
    public var headByteLimit: Int
    /// The maximum size of the response body in bytes, after content decoding.
    public var bodyByteLimit: Int
    /// Whether `send` follows redirects. If false, it returns them like other responses.
    public var followsRedirects: Bool
    /// The maximum number of redirects to follow.
    public var maxRedirects: Int
    /// How a cache in front of the transport treats the request.
    public var cacheUse = CacheUse()
    /// Whether the body is decoded. If false, no content coding is requested. URLSession always decodes.
    public var decodesContent = true
    /// The text that identifies `url` in a cache, if the caller knows it; nil for the key by the cache's own rules.
    public var identifier: String?
    /// The header fields by which a cache distinguishes users, instead of `headers`. They aren't sent. Use them for
    /// tokens that change while the user stays the same.
    public var identityHeaders: HTTPFields?
    /// The account for which the request is made; nil for none. It isn't sent. A cache never returns the response for one
    /// account to another.
    public var account: String?
    /// The header fields that a redirect to another server may repeat, instead of `headers`; nil for those. Credentials
    /// are left out of either.
    package var headersForOtherServers: HTTPFields?
    /// Values of the application, which aren't sent. A modifier or a transport of your own can read them.
    public var userInfo = ImageUserInfo()
    /// Whether networks are used that the system considers expensive, such as mobile ones. Only URLSession knows.
    public var allowsExpensiveNetworkAccess = true
    /// Whether networks in Low Data Mode are used. Only URLSession knows.
    public var allowsConstrainedNetworkAccess = true
    /// How urgent the request is, as a hint for the server. URLSession sends it, and a loader of `ImageLoaderOptions`.
    public var priority = RequestPriority.normal
    /// Whether parts of the response are shown before its end, as a hint for the server (RFC 9218, 4.2).
    public var isIncremental = false
    /// The priority while it can change; nil if it can't.
    package var livePriority: LivePriority?

    /// Creates a request. See the properties for the meaning of the limits.
    public init(
        url: URL, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: Data? = nil,
        connectTimeout: Duration = .seconds(15), stallTimeout: Duration = .seconds(30),
        totalTimeout: Duration? = nil, headByteLimit: Int = 256 << 10, bodyByteLimit: Int = 256 << 20,
        followsRedirects: Bool = true, maxRedirects: Int = 10
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.stallTimeout = stallTimeout
        self.totalTimeout = totalTimeout
        self.headByteLimit = headByteLimit
        self.bodyByteLimit = bodyByteLimit
        self.followsRedirects = followsRedirects
        self.maxRedirects = maxRedirects
    }
}

/// A response whose head has arrived and whose body can be read.
public struct TransportResponse: Sendable {
    /// The head of the response.
    public var head: ResponseHead
    /// The body, which can be read once.
    public var body: TransportBody
    /// Whether the response is from the network or a cache.
    public var source: ResponseSource
    /// Whether a cache has the body, or stores it while it is read.
    public var isStored = false
    /// The redirects that were followed up to this response.
    public var redirects: [ResponseHead] = []
    /// Asks the application for the exchange to start in place of this response; nil if there is nothing to ask.
    ///
    /// Returns the exchange, or nil to deliver the response. It is called once at most, and holds no download slot, because
    /// the application may wait for other downloads.
    package var challenge: (@Sendable () async throws -> CacheAnswer.Send?)?

    /// Creates a response.
    public init(head: ResponseHead, body: TransportBody, source: ResponseSource = .network) {
        self.head = head
        self.body = body
        self.source = source
    }
}

/// The head of a final response.
public struct ResponseHead: Sendable, Hashable {
    /// The status code and reason phrase.
    public var status: HTTPResponse.Status
    /// The header fields. Their values are bytes as received, which need not be UTF-8.
    public var headers: HTTPFields
    /// The address of the response, after redirects.
    public var url: URL
    /// The length of the body in bytes as delivered. `nil` if it is unknown or the body is decoded.
    public var expectedByteCount: Int?
    /// The time until which a cache uses the response without asking the server; nil from a transport without a cache.
    public var freshUntil: Date?

    /// Creates a response head.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:], url: URL, expectedByteCount: Int? = nil) {
        self.status = status
        self.headers = headers
        self.url = url
        self.expectedByteCount = expectedByteCount
    }
}
