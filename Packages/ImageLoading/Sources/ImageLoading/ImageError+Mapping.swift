import HTTPTypes
import ImageCore
import ImageTransporting

extension ImageError {
    /// Converts an error of any component.
    init(_ error: any Error) {
        switch error {
        case let error as ImageError: self = error
        case let failure as TransportError: self.init(failure)
        case ImageDecodingError.cancelled, is CancellationError: self = .cancelled
        case let failure as ImageDecodingError: self = .decoding(failure)
        default: self = .network(NetworkFailure(.other, reason: "\(error)", underlying: UnderlyingError(error)))
        }
    }

    init(_ failure: TransportError) {
        let text = failure.description
        self =
            switch failure {
            case .invalidURL(let text): .invalidURL(text)
            case .unresolvedHost: .network(.unresolvedHost, text)
            case .connectionFailed: .network(.connectionRefused, text)
            case .tls: .network(.tls, text)
            case .timedOut: .network(.timedOut, text)
            case .closedEarly: .network(.truncatedBody, text)
            case .connectionLost: .network(.connectionLost, text)
            case .malformedResponse, .headTooLarge: .network(.malformedResponse, text)
            case .tooLarge(let allowed), .decodedBodyTooLarge(let allowed): .tooLarge(byteLimit: allowed)
            case .blockedAddress: .network(.blockedAddress, text)
            case .serverUnavailable: .network(.serverUnavailable, text)
            case .tooManyRedirects, .redirectLoop, .blockedRedirect: .network(.redirect, text)
            case .notFound: .notFound
            case .cancelled: .cancelled
            case .modifier(let failure): failure.error as? ImageError ?? .modifier(failure)
            case .other(_, let underlying): .network(NetworkFailure(.other, reason: text, underlying: underlying))
            }
    }

    /// Whether a missing network can be the cause.
    var mayBeCausedByNetwork: Bool {
        if case .network(let failure) = self { isTransient || failure.kind == .serverUnavailable } else { false }
    }
}

extension ResponseHead {
    /// The error for the status; nil if the body is the whole original: any 2xx except 204 and 205, which have none, and
    /// 206, which has a part.
    var error: ImageError? {
        switch status.code {
        case 204, 205, 206: .httpStatus(status.code)
        case 200...299: nil
        case 404, 410: .notFound
        default: .httpStatus(status.code, retryAfter: retryAfter)
        }
    }
}

extension ImageDecodingError {
    /// Whether the data is the cause, not the request or the limits.
    var isCausedByData: Bool {
        switch self {
        case .unknownFormat, .malformed, .truncated: true
        case .unsupported, .limitExceeded, .noSuchFrame, .workerFailed, .cancelled: false
        }
    }
}
