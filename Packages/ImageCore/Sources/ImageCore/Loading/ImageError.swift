/// Why a request for an image failed.
@nonexhaustive
public indirect enum ImageError: Error, Hashable, Sendable {
    /// The URL has no scheme or host that can be loaded, or can't be parsed.
    case invalidURL(String)
    /// The server could not be reached, or the exchange failed. The text is for humans.
    case network(NetworkFailure, String)
    /// The server responded with a status without an image: neither 2xx nor 404 nor 410, or one of 204, 205 and 206.
    case httpStatus(Int)
    /// The server responded with 404 or 410, or the file doesn't exist.
    case notFound
    /// The bytes could not be decoded.
    case decoding(ImageDecodingError)
    /// The closure of `ImageOrigin.fetch` threw an error. The text is for humans.
    case fetch(String)
    /// The closure of `ImageOrigin.fetch` made a request that would wait for the closure itself.
    case circularFetch
    /// A processor threw an error. The text is for humans.
    case processing(identifier: String, String)
    /// The original has more bytes than the limit.
    case tooLarge(allowedBytes: Int)
    /// The request may not use the network and no cache has the image.
    case offline
    /// The request was cancelled.
    case cancelled
    /// `ImageLoader.invalidate()` was called.
    case invalidated

    /// The kinds of network failures.
    @nonexhaustive
    public enum NetworkFailure: String, Sendable, CaseIterable {
        /// A failed DNS lookup, connection, TLS handshake, redirect or HTTP response.
        case unresolvedHost, connectionRefused, connectionLost, truncatedBody, timedOut, tls, redirect,
            malformedResponse
        /// The transport may not connect to the addresses of the host.
        case blockedAddress
        /// No request was sent, because requests to the host have just failed repeatedly.
        case serverUnavailable
        /// Any other failure.
        case other
    }
}

extension ImageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidURL(let text): "invalid URL: \(text)"
        case .network(let kind, let text): "network (\(kind.rawValue)): \(text)"
        case .httpStatus(let status): "the server responded with status \(status)"
        case .notFound: "not found"
        case .decoding(let failure): "\(failure)"
        case .fetch(let text): "the request's own fetch failed: \(text)"
        case .circularFetch: "the request's own fetch waits for itself"
        case .processing(let identifier, let text): "processor \(identifier) failed: \(text)"
        case .tooLarge(let allowed): "too large: the limit is \(allowed) bytes"
        case .offline: "offline, and the image is not cached"
        case .cancelled: "cancelled"
        case .invalidated: "the loader was invalidated"
        }
    }
}

extension ImageError {
    /// Whether the request was cancelled, which is no failure to show.
    public var isCancelled: Bool { self == .cancelled }

    /// Whether the same request may succeed later: a failed connection, or a status such as 429 or 503.
    public var isTransient: Bool {
        switch self {
        case .network(let failure, _):
            [.unresolvedHost, .connectionRefused, .connectionLost, .truncatedBody, .timedOut].contains(failure)
        case .httpStatus(let status): [408, 425, 429, 500, 502, 503, 504].contains(status)
        default: false
        }
    }
}
