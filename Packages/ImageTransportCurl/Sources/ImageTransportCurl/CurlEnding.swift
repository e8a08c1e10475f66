import CImageTransportCurl
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How libcurl ended a transfer, put into the port's terms.
struct CurlEnding {
    private let ending: itc_ending
    private let text: String

    init(_ ending: itc_ending, text: String) {
        self.ending = ending
        self.text = text
    }

    /// Nil when the transfer ended well.
    ///
    /// - Parameters:
    ///   - head: nil when none has come.
    ///   - received: the bytes of the body that have come, decoded.
    func failure(_ request: TransportRequest, head: ResponseHead?, received: Int) -> TransportFailure? {
        switch ending {
        case ITC_COMPLETE: head != nil ? nil : .connectionLost("the connection ended inside the head")
        case ITC_INVALID_URL: .invalidURL("\(request.url.absoluteString): \(text)")
        case ITC_UNRESOLVED: .unresolvedHost(text)
        case ITC_NOT_CONNECTED: .connectionFailed(text)
        case ITC_TLS: .tls(text)
        case ITC_CONNECT_TIMEOUT: .timedOut(.connect)
        case ITC_CONNECTION_BROKEN:
            head.map { .closedEarly(received: received, expected: $0.expectedBytes) } ?? .connectionLost(text)
        case ITC_MALFORMED: .malformedResponse(text)
        case ITC_HEADER_LINE_TOO_LONG: .headTooLarge(allowedBytes: request.maxHeadBytes)
        case ITC_REFUSED_BY_OWNER: .cancelled  // a failure of the owner's own was noted before
        default: .other(text)
        }
    }
}
