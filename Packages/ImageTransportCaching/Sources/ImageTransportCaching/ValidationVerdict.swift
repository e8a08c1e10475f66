import HTTPTypes
import ImageHTTPCaching
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the origin's answer to a question about a stored response means for it (RFC 9111, 4.3.3). Pure.
enum ValidationVerdict: Hashable {
    /// It holds, with this head from now on.
    case confirmed(StoredHTTPResponse)
    /// The origin can't tell; it may be shown as it is.
    case undecided
    /// A 304 that is about something else: the origin is to be asked without conditions.
    case misunderstood
    /// The answer takes its place.
    case replaced

    init(
        _ answer: ResponseHead, about stored: StoredHTTPResponse, permission: StalePermission, requestTime: Date,
        responseTime: Date
    ) {
        if answer.status == .notModified {
            let confirmed = stored.confirmed(by: answer, requestTime: requestTime, responseTime: responseTime)
            self = confirmed.map { .confirmed($0) } ?? .misunderstood
        } else {
            self = permission.covers(status: answer.status.code) ? .undecided : .replaced
        }
    }
}

extension StalePermission {
    /// Whether a stale response may be shown instead of this failure: the origin was not heard. What was heard and can't be trusted,
    /// by its certificate or its redirects, is told.
    func covers(_ failure: TransportFailure) -> Bool {
        switch failure {
        case .unresolvedHost, .connectionFailed, .timedOut, .connectionLost, .closedEarly: self != .never
        case .malformedResponse: self == .error
        default: false
        }
    }
}

extension ResponseHead {
    /// Whether the head says what the URL means now: not so an error of the server's, or one of the request's.
    var describesTheResource: Bool { (200...399).contains(status.code) || [404, 410].contains(status.code) }
}
