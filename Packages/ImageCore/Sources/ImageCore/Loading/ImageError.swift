/// Why a request for an image failed.
@nonexhaustive
public indirect enum ImageError: Error, Hashable, Sendable {
    /// The URL has no scheme or host that can be loaded, or can't be parsed.
    case invalidURL(String)
    /// A header field has a name that HTTP doesn't allow.
    case invalidHeader(String)
    /// The server could not be reached, or the exchange failed.
    case network(NetworkFailure)
    /// The server responded with a status without an image: neither 2xx nor 404 nor 410, or one of 204, 205 and 206.
    /// `retryAfter` is the wait that it requested (Retry-After; RFC 9110, 10.2.3).
    case httpStatus(Int, retryAfter: Duration? = nil)
    /// The server responded with 404 or 410, or the file doesn't exist.
    case notFound
    /// The bytes could not be decoded.
    case decoding(ImageDecodingError)
    /// The closure of `ImageOrigin.fetch` threw this error.
    case fetch(UnderlyingError)
    /// The closure of `ImageOrigin.fetch` made a request that would wait for the closure itself.
    case circularFetch
    /// The request modifier or the challenge handler threw this error, for example because nobody is signed in.
    case modifier(UnderlyingError)
    /// A processor threw this error.
    case processing(identifier: String, UnderlyingError)
    /// The original has more bytes than the limit.
    case tooLarge(byteLimit: Int)
    /// The request may not use the network and no cache has the image.
    case offline
    /// The request was cancelled.
    case cancelled
    /// The account changed before the request was sent. The same request can be made again, for the new account.
    case accountChanged
    /// `ImageLoader.shutDown()` was called.
    case shutDown
}

/// A failure to reach a server, or of the exchange with it.
public struct NetworkFailure: Hashable, Sendable {
    /// What failed.
    public var kind: Kind
    /// What failed in detail, for humans.
    public var reason: String
    /// The error of an application's own transport; nil for those of this package.
    public var underlying: UnderlyingError?

    /// Creates a failure.
    public init(_ kind: Kind, reason: String = "", underlying: UnderlyingError? = nil) {
        self.kind = kind
        self.reason = reason
        self.underlying = underlying
    }

    /// The kinds of network failures.
    @nonexhaustive
    public enum Kind: String, Sendable, CaseIterable {
        /// A failed DNS lookup, connection, TLS handshake, redirect or HTTP response.
        case unresolvedHost, connectionRefused, connectionLost, truncatedBody, timedOut, tls, redirect,
            malformedResponse
        /// The transport may not connect to the addresses of the host.
        case blockedAddress
        /// No request was sent, because requests to the server have just failed repeatedly.
        case serverUnavailable
        /// Any other failure.
        case other
    }
}

extension ImageError {
    /// Creates the error of a failed network or server, for example in a fetch or a test.
    public static func network(_ kind: NetworkFailure.Kind, _ reason: String = "") -> ImageError {
        .network(NetworkFailure(kind, reason: reason))
    }
}

extension ImageError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .invalidURL(let text): "invalid URL: \(text)"
        case .invalidHeader(let name): "no header field can be named \"\(name)\""
        case .network(let failure): "network (\(failure.kind.rawValue)): \(failure.reason)"
        case .httpStatus(let status, _): "the server responded with status \(status)"
        case .notFound: "not found"
        case .decoding(let failure): "\(failure)"
        case .fetch(let failure): "the request's own fetch failed: \(failure)"
        case .circularFetch: "the request's own fetch waits for itself"
        case .modifier(let failure): "the request could not be authorized or changed: \(failure)"
        case .processing(let identifier, let failure): "processor \(identifier) failed: \(failure)"
        case .tooLarge(let allowed): "too large: the limit is \(allowed) bytes"
        case .offline: "offline, and the image is not cached"
        case .cancelled: "cancelled"
        case .accountChanged: "the account has changed"
        case .shutDown: "the loader was shut down"
        }
    }
}

extension ImageError {
    /// Whether the request was cancelled, which is no failure to show.
    public var isCancelled: Bool { self == .cancelled }

    /// Whether the same request may succeed later: a failed connection, or a status such as 429 or 503.
    public var isTransient: Bool {
        switch self {
        case .network(let failure):
            [.unresolvedHost, .connectionRefused, .connectionLost, .truncatedBody, .timedOut].contains(failure.kind)
        case .httpStatus(let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
        default: false
        }
    }
}
