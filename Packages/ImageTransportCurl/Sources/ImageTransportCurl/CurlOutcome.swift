import CImageTransportCurl
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Maps the outcome of a libcurl transfer to a `TransportError`.
struct CurlOutcome {
    private let outcome: itc_outcome
    private let text: String

    init(_ outcome: itc_outcome, text: String) {
        self.outcome = outcome
        self.text = text
    }

    /// Returns nil if the transfer succeeded.
    ///
    /// - Parameters:
    ///   - head: The response head, or nil if none arrived.
    ///   - received: The number of decoded bytes of the body.
    func failure(_ request: TransportRequest, head: ResponseHead?, received: Int) -> TransportError? {
        switch outcome {
        case ITC_COMPLETE: head != nil ? nil : .connectionLost("the connection ended inside the head")
        case ITC_INVALID_URL: .invalidURL("\(request.url.absoluteString): \(text)")
        case ITC_UNRESOLVED: .unresolvedHost(text)
        case ITC_NOT_CONNECTED: .connectionFailed(text)
        case ITC_ADDRESS_REFUSED: .blockedAddress(request.url.host() ?? "")
        case ITC_TLS: .tls(text)
        case ITC_CONNECT_TIMEOUT: .timedOut(.connect)
        case ITC_CONNECTION_BROKEN:
            head.map { .closedEarly(received: received, expected: $0.expectedByteCount) } ?? .connectionLost(text)
        case ITC_MALFORMED: .malformedResponse(text)
        case ITC_HEADER_LINE_TOO_LONG: .headTooLarge(byteLimit: request.headByteLimit)
        case ITC_REJECTED_BY_CALLBACK: .cancelled  // if a callback failed, `ActiveTransfer` returns its failure instead
        default: .other(text)
        }
    }
}
