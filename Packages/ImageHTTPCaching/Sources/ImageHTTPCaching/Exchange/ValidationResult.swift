import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of validating a stored response with the origin (RFC 9111, 4.3.3).
enum ValidationResult: Hashable {
    /// The stored response is current. Its head is updated to this one.
    case confirmed(StoredHTTPResponse)
    /// The origin failed with a status for which the stored response may be returned.
    case serverError
    /// The 304 is for a different response. Send the request again without conditions.
    case mismatched
    /// The new response replaces the stored one.
    case replaced

    init(
        _ head: ResponseHead, of stored: StoredHTTPResponse, fallback: StaleFallback, requestTime: Date,
        responseTime: Date
    ) {
        if head.status == .notModified {
            let freshened = stored.freshened(byNotModified: head, requestTime: requestTime, responseTime: responseTime)
            self = freshened.map { .confirmed($0) } ?? .mismatched
        } else {
            self = fallback.allows(status: head.status.code) ? .serverError : .replaced
        }
    }
}

extension StaleFallback {
    /// Returns whether a stale response may be returned after this failure.
    ///
    /// That is the case only if the origin could not be reached. Certificate errors and redirect errors are always
    /// thrown.
    func allows(after failure: TransportFailure) -> Bool {
        switch failure {
        case .unresolvedHost, .connectionFailed, .timedOut, .connectionLost, .closedEarly, .hostUnavailable:
            self != .never
        case .malformedResponse: self == .serverError
        default: false
        }
    }
}

extension ResponseHead {
    var describesResource: Bool { ImageHTTPCaching.describesResource(status.code) }
}

extension StoredHTTPResponse {
    var describesResource: Bool { ImageHTTPCaching.describesResource(status) }
}

/// Whether a response with this status describes the current state of the resource. Server errors and most client errors
/// do not.
private func describesResource(_ status: Int) -> Bool { (200...399).contains(status) || [404, 410].contains(status) }
