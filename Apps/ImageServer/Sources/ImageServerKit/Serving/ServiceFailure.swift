import ImageCore

/// Why a request has no result.
enum ServiceFailure: Error, Sendable {
    /// The path is not that of an image.
    case url(URLFailure)
    /// The source must not be loaded.
    case origin(OriginRefusal)
    /// The source could not be loaded.
    case source(ImageError)
    /// The source can't be loaded, because its origin gets no requests for a time after many failures to connect.
    case unavailable(ImageError, retryAfter: Duration)
    /// The file can't be read, or is outside of the folders after links are resolved. The text is for logs.
    case file(String)
    /// The watermark must not or can't be loaded or decoded.
    indirect case watermark(ServiceFailure)
    /// The source can't be rendered.
    case rendering(RenderingFailure)
    /// Too many renderings wait. A client may try again after a time.
    case overloaded(retryAfter: Duration)
    /// The request took too long.
    case timedOut
    /// The client left, or the server ends.
    case cancelled
    /// Any other failure. The text is for logs.
    case other(String)
}

extension ServiceFailure {
    /// Converts an error of any part.
    init(_ error: any Error) {
        switch error {
        case let failure as ServiceFailure: self = failure
        case let failure as URLFailure: self = .url(failure)
        case let refusal as OriginRefusal: self = .origin(refusal)
        case let failure as RenderingFailure: self.init(failure)
        case ImageError.cancelled, is CancellationError: self = .cancelled
        case let failure as ImageError: self = .source(failure)
        case let overload as AdmissionGate.Overload: self = .overloaded(retryAfter: overload.retryAfter)
        case is DeadlineExceeded: self = .timedOut
        default: self = .other("\(error)")
        }
    }

    private init(_ failure: RenderingFailure) {
        switch failure {
        case .cancelled: self = .cancelled
        case .watermark(let failure): self = .watermark(.rendering(.decoding(failure)))
        default: self = .rendering(failure)
        }
    }

    /// The status of the response.
    var status: Int {
        switch self {
        case .url(.wrongSignature), .origin, .file: 403
        case .url: 404
        case .source(let error), .unavailable(let error, _): error.gatewayStatus
        case .watermark(let failure): failure.status
        case .rendering(.encoding), .rendering(.processing), .other: 500
        case .rendering(.decoding(.workerFailed(.notStarted))), .rendering(.decoding(.workerFailed(.unprotected))): 500
        case .rendering: 422
        case .overloaded, .cancelled: 503
        case .timedOut: 504
        }
    }

    /// The value of Retry-After in whole seconds, at least 1 (RFC 9110, section 10.2.3); nil for none.
    var retrySeconds: Int? {
        switch self {
        case .overloaded(let time), .unavailable(_, let time): max(1, Int(time.seconds.rounded(.up)))
        case .source(.httpStatus(429, let time)): time.map { Int(min(max(0, $0.seconds.rounded(.up)), 1e9)) }
        default: status == 503 ? 1 : nil
        }
    }
}

extension ServiceFailure: CustomStringConvertible {
    /// A text for the body of the response. It names no host and no folder: they may be inner ones.
    var description: String {
        switch self {
        case .url(let failure): "\(failure)"
        case .origin: "the source is not allowed"
        case .source(let error), .unavailable(let error, _): "can't load the source: \(error.textForClients)"
        case .file: "the file can't be read, or is outside of the allowed folders"
        case .watermark(let failure): "the watermark: \(failure)"
        case .rendering(let failure): "can't render the source: \(failure)"
        case .overloaded: "too many images are being rendered; try again later"
        case .timedOut: "the image took too long"
        case .cancelled: "the request was cancelled"
        case .other: "internal error"
        }
    }
}

extension ImageError {
    fileprivate var textForClients: String {
        switch self {
        case .invalidURL: "its URL is not valid"
        case .network(let failure) where failure.kind == .redirect:
            "it has too many redirects, or one that is not allowed"
        case .network(let failure) where failure.kind == .timedOut: "its server takes too long"
        case .httpStatus(429, _): "its server is busy; try again later"
        case .network, .fetch: "its server can't be reached, or doesn't answer as it should"
        default: "\(self)"
        }
    }

    /// The status of a response for which the source could not be loaded.
    fileprivate var gatewayStatus: Int {
        switch self {
        case .invalidURL, .invalidHeader, .notFound: 404
        case .network(let failure) where failure.kind == .redirect: 403
        case .network(let failure) where failure.kind == .timedOut: 504
        case .httpStatus(429, _): 429
        // As in imgproxy: what the origin refuses is not there.
        case .httpStatus(let status, _) where status < 500: 404
        case .network, .httpStatus, .offline, .fetch, .circularFetch, .modifier: 502
        case .decoding, .tooLarge: 422
        case .cancelled, .accountChanged, .shutDown: 503
        case .processing: 500
        @unknown default: 502
        }
    }
}
