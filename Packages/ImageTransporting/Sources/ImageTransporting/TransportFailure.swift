/// Why a transfer failed. Texts are for people.
public enum TransportFailure: Error, Hashable, Sendable {
    /// The URL has no scheme that this transport speaks, or no host.
    case invalidURL(String)
    case unresolvedHost(String)
    /// The connection was refused or is impossible.
    case connectionFailed(String)
    case tls(String)
    case timedOut(Phase)
    /// The connection ended before the body did.
    case closedEarly(received: Int, expected: Int?)
    /// The connection broke before a complete head arrived, or in a way that names no byte count.
    case connectionLost(String)
    /// The response breaks the rules of HTTP or of its content coding.
    case malformedResponse(String)
    case tooLarge(allowedBytes: Int)
    /// A coded body, small as it came, unpacks to more than the largest body accepted.
    case unpacksTooLarge(allowedBytes: Int)
    case headTooLarge(allowedBytes: Int)
    case tooManyRedirects(Int)
    /// A redirect to an address that was asked before.
    case redirectLoop(String)
    /// A redirect to a scheme that is not allowed, or from https to http.
    case blockedRedirect(String)
    /// A file that does not exist.
    case notFound(String)
    case cancelled
    case other(String)

    public enum Phase: String, Sendable, CaseIterable {
        case connect, head, body
        /// The transfer went on, but for too long in all.
        case whole
    }
}

extension TransportFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidURL(let text): "invalid URL: \(text)"
        case .unresolvedHost(let text): "can't resolve the host: \(text)"
        case .connectionFailed(let text): "can't connect: \(text)"
        case .tls(let text): "TLS: \(text)"
        case .timedOut(let phase): phase.description
        case .closedEarly(let received, let expected?): "the body ended after \(received) of \(expected) bytes"
        case .closedEarly(let received, nil): "the body was cut after \(received) bytes"
        case .connectionLost(let text): "connection lost: \(text)"
        case .malformedResponse(let text): "malformed response: \(text)"
        case .tooLarge(let allowed): "the body is larger than the \(allowed) bytes allowed"
        case .unpacksTooLarge(let allowed): "the body unpacks to more than the \(allowed) bytes allowed"
        case .headTooLarge(let allowed): "the head is larger than the \(allowed) bytes allowed"
        case .tooManyRedirects(let limit): "more than \(limit) redirects"
        case .redirectLoop(let text): "redirected in a loop: \(text)"
        case .blockedRedirect(let text): "blocked redirect: \(text)"
        case .notFound(let text): "not found: \(text)"
        case .cancelled: "cancelled"
        case .other(let text): text
        }
    }
}

extension TransportFailure.Phase {
    fileprivate var description: String {
        switch self {
        case .connect: "timed out waiting for the connection"
        case .head, .body: "timed out waiting for the \(rawValue)"
        case .whole: "timed out: the whole transfer took too long"
        }
    }
}
