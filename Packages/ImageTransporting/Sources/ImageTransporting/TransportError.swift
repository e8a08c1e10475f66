public import ImageCore

/// The reason why a transfer failed. The associated strings are for logs and people; don't parse them.
@nonexhaustive
public enum TransportError: Error, Hashable, Sendable {
    /// The URL has a scheme that this transport doesn't support, or no host.
    case invalidURL(String)
    /// The host name couldn't be resolved.
    case unresolvedHost(String)
    /// The connection was refused or couldn't be established.
    case connectionFailed(String)
    /// The TLS handshake failed, or the certificate isn't trusted.
    case tls(String)
    /// A timeout of the request expired in this phase.
    case timedOut(Phase)
    /// The body ended early. `received` and `expected` are in bytes after content decoding.
    case closedEarly(received: Int, expected: Int?)
    /// The connection was closed before a complete head arrived, or in a way that leaves the number of bytes unknown.
    case connectionLost(String)
    /// The response violates HTTP or its content coding.
    case malformedResponse(String)
    /// The body exceeds `TransportRequest.bodyByteLimit`.
    case tooLarge(byteLimit: Int)
    /// An encoded body decodes to more than `TransportRequest.bodyByteLimit`.
    case decodedBodyTooLarge(byteLimit: Int)
    /// The head exceeds `TransportRequest.headByteLimit`.
    case headTooLarge(byteLimit: Int)
    /// There were more redirects than this limit.
    case tooManyRedirects(Int)
    /// A redirect to an address that was already visited.
    case redirectLoop(String)
    /// A redirect to a scheme that is not allowed, or from https to http.
    case blockedRedirect(String)
    /// The host has no address to which the transport may connect, by its address policy.
    case blockedAddress(String)
    /// No request was sent, because requests to the server have just failed repeatedly.
    case serverUnavailable(String)
    /// The file at this path doesn't exist.
    case notFound(String)
    /// The task was cancelled, or the transport was shut down.
    case cancelled
    /// The request modifier or the challenge handler of an application threw this error.
    case modifier(UnderlyingError)
    /// Any other failure, with the error of an application's own transport.
    case other(String, underlying: UnderlyingError? = nil)

    /// The phase of a transfer in which a timeout expired.
    @nonexhaustive
    public enum Phase: Sendable, CaseIterable {
        /// Establishing a connection: `TransportRequest.connectTimeout`.
        case connect
        /// Waiting for the response head: `TransportRequest.stallTimeout`.
        case head
        /// Waiting for a piece of the body: `TransportRequest.stallTimeout`.
        case body
        /// The whole transfer: `TransportRequest.totalTimeout`.
        case total
    }
}

extension TransportError {
    /// Converts the error of a client below a transport, which `ImageError.network` then has as `underlying`.
    ///
    /// A `TransportError` is itself, and `CancellationError` in a cancelled task is `.cancelled`. Any other error is
    /// `.other`, which isn't retried.
    public init(_ error: any Error) {
        self = Self.known(error) ?? .other(String(describing: error), underlying: UnderlyingError(error))
    }

    /// Converts the error of a request modifier or a challenge handler.
    init(ofModifier error: any Error) { self = Self.known(error) ?? .modifier(UnderlyingError(error)) }

    private static func known(_ error: any Error) -> TransportError? {
        error is CancellationError && Task.isCancelled ? .cancelled : error as? TransportError
    }
}

extension TransportError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    /// A description for logs.
    public var description: String {
        switch self {
        case .invalidURL(let text): "invalid URL: \(text)"
        case .unresolvedHost(let text): "can't resolve the host: \(text)"
        case .connectionFailed(let text): "can't connect: \(text)"
        case .tls(let text): "TLS: \(text)"
        case .timedOut(.connect): "timed out waiting for the connection"
        case .timedOut(.total): "timed out: the whole transfer took too long"
        case .timedOut(let phase): "timed out waiting for the \(phase)"
        case .closedEarly(let received, let expected?): "the body ended after \(received) of \(expected) bytes"
        case .closedEarly(let received, nil): "the body was truncated after \(received) bytes"
        case .connectionLost(let text): "connection lost: \(text)"
        case .malformedResponse(let text): "malformed response: \(text)"
        case .tooLarge(let allowed): "the body is larger than the \(allowed) bytes allowed"
        case .decodedBodyTooLarge(let allowed): "the body decodes to more than the \(allowed) bytes allowed"
        case .headTooLarge(let allowed): "the head is larger than the \(allowed) bytes allowed"
        case .tooManyRedirects(let limit): "more than \(limit) redirects"
        case .redirectLoop(let text): "redirected in a loop: \(text)"
        case .blockedRedirect(let text): "blocked redirect: \(text)"
        case .blockedAddress(let text): "blocked address: \(text)"
        case .serverUnavailable(let text): "server unavailable: \(text)"
        case .notFound(let text): "not found: \(text)"
        case .cancelled: "cancelled"
        case .modifier(let failure): "the request could not be authorized or changed: \(failure)"
        case .other(let text, _): text
        }
    }
}
