import HTTPTypes
import ImageCore
import ImageTransporting

extension ImageError {
    /// What a failure anywhere below means to whoever asked for the picture.
    init(_ error: any Error) {
        switch error {
        case let error as ImageError: self = error
        case let failure as TransportFailure: self.init(failure)
        case DecodingFailure.cancelled, is CancellationError: self = .cancelled
        case let failure as DecodingFailure: self = .decoding(failure)
        default: self = .network(.other, "\(error)")
        }
    }

    init(_ failure: TransportFailure) {
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
            case .tooLarge(let allowed), .unpacksTooLarge(let allowed): .tooLarge(allowedBytes: allowed)
            case .tooManyRedirects, .redirectLoop, .blockedRedirect: .network(.redirect, text)
            case .notFound: .notFound
            case .cancelled: .cancelled
            case .other: .network(.other, text)
            }
    }

    /// True for what a transfer without a network may end in.
    var mayBeForLackOfNetwork: Bool {
        switch self {
        case .network(let kind, _):
            switch kind {
            case .unresolvedHost, .connectionRefused, .connectionLost, .truncatedBody, .timedOut, .hostUnavailable: true
            case .tls, .redirect, .malformedResponse, .other: false
            }
        default: false
        }
    }

    /// True when trying the same transfer again later may work.
    var mayHeal: Bool {
        switch self {
        case .network(let kind, _):
            switch kind {
            case .unresolvedHost, .connectionRefused, .connectionLost, .truncatedBody, .timedOut: true
            case .tls, .redirect, .malformedResponse, .hostUnavailable, .other: false
            }
        case .httpStatus(let status): [408, 425, 429, 500, 502, 503, 504].contains(status)
        default: false
        }
    }
}

extension ResponseHead {
    /// Nil when the response carries the whole of what was asked for.
    var refusal: ImageError? {
        switch status.code {
        case 200, 203: nil
        case 404, 410: .notFound
        default: .httpStatus(status.code)
        }
    }
}
