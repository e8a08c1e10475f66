public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Moves bytes: a request goes out, a response head comes back, then a body, piece by piece.
///
/// Promises:
/// - `send` returns at the final response head: redirects are followed within the request's limit, or handed back if it
///   says so; informational responses are skipped. Any status is a response, not an error.
/// - The request's body goes up, where there is somebody to send it to.
/// - The body is pulled: while nobody asks for the next piece, at most a bounded number of bytes is buffered and the
///   sender is held back.
/// - A body shorter than announced, or cut in a chunk, ends in `.closedEarly`, never as if it were complete.
/// - More bytes than `maxBodyBytes` end in `.tooLarge`, with and without an announced length; a coded body that unpacks to
///   more ends in `.unpacksTooLarge`, a larger head than `maxHeadBytes` in `.headTooLarge`.
/// - Cancelling the task that waits in `send` or in the body throws `.cancelled` and ends the transfer at the socket;
///   so does dropping the body before its end.
/// - TLS certificates and host names are verified, always.
public protocol DataTransport: Sendable {
    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse
}

/// What is to be fetched, and within what bounds.
public struct TransportRequest: Sendable {
    public var url: URL
    public var method: HTTPRequest.Method
    public var headers: HTTPFields
    /// What goes up: small, since it is held in memory, and sent again when a redirect keeps the method. HEAD sends none.
    public var body: Data?
    /// Until the connection stands, TLS included.
    public var connectTimeout: Duration
    /// The longest time without a byte while waiting for the head or the body; time in which nobody asks for bytes does not count.
    public var stallTimeout: Duration
    /// From sending to the last byte of the final body, redirects and all waiting included; nil for no such bound.
    public var totalTimeout: Duration?
    /// The largest head accepted, in bytes as they come over the wire; informational responses before it count.
    public var maxHeadBytes: Int
    /// The largest body accepted, in bytes, after content decoding.
    public var maxBodyBytes: Int
    /// False returns a redirect like any other response, for callers that follow redirects with `RedirectTrail`.
    public var followsRedirects: Bool
    public var maxRedirects: Int
    public var cacheUse = CacheUse.standard
    /// False hands the body on in whatever content coding it comes, and asks for none. URLSession decodes all the same.
    public var decodesContent = true
    /// The headers by which a cache distinguishes users; nil for those that are sent. Not sent themselves. For tokens that
    /// change although the user stays the same: see `ModifyingTransport`.
    public var identityHeaders: HTTPFields?

    public init(
        url: URL, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: Data? = nil,
        connectTimeout: Duration = .seconds(15), stallTimeout: Duration = .seconds(30),
        totalTimeout: Duration? = nil, maxHeadBytes: Int = 256 << 10, maxBodyBytes: Int = 256 << 20,
        followsRedirects: Bool = true, maxRedirects: Int = 10
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.stallTimeout = stallTimeout
        self.totalTimeout = totalTimeout
        self.maxHeadBytes = maxHeadBytes
        self.maxBodyBytes = maxBodyBytes
        self.followsRedirects = followsRedirects
        self.maxRedirects = maxRedirects
    }
}

/// A response whose head has arrived and whose body can be pulled.
public struct TransportResponse: Sendable {
    public var head: ResponseHead
    public var body: TransportBody
    public var source: ResponseSource

    public init(head: ResponseHead, body: TransportBody, source: ResponseSource = .network) {
        self.head = head
        self.body = body
        self.source = source
    }
}

/// The head of a final response.
public struct ResponseHead: Sendable, Hashable {
    public var status: HTTPResponse.Status
    public var headers: HTTPFields
    /// Where the response came from in the end, after redirects.
    public var url: URL
    /// Bytes of the body as delivered, or nil when it is not known (no Content-Length, or content coding).
    public var expectedBytes: Int?

    public init(status: HTTPResponse.Status, headers: HTTPFields = [:], url: URL, expectedBytes: Int? = nil) {
        self.status = status
        self.headers = headers
        self.url = url
        self.expectedBytes = expectedBytes
    }
}
