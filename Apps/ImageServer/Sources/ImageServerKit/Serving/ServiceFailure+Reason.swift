import ImageCore

extension ServiceFailure {
    /// A word for metrics and logs.
    var reason: String {
        switch self {
        case .url(.wrongSignature): "signature"
        case .url(.expired): "expired"
        case .url: "url"
        case .origin, .file: "source_not_allowed"
        case .source(let error), .unavailable(let error, _): error.reason
        case .watermark(let failure): failure.reason
        case .rendering(let failure): failure.reason
        case .overloaded: "overloaded"
        case .timedOut: "timeout"
        case .cancelled: "cancelled"
        default: "internal"
        }
    }

    /// The words for all failures.
    static let reasons = [
        "cancelled", "decoding", "encoding", "expired", "internal", "overloaded", "processing", "signature",
        "source_network", "source_not_allowed", "source_not_found", "source_status", "source_timeout",
        "source_too_large",
        "timeout", "too_large", "url",
    ]

    /// The text for the log. It can have more than that for the client.
    var logText: String {
        switch self {
        case .other(let text), .file(let text): text
        case .origin(let refusal): "the source is not allowed: \(refusal)"
        case .source(let error), .unavailable(let error, _): "can't load the source: \(error)"
        case .watermark(let failure): "the watermark: \(failure.logText)"
        default: description
        }
    }
}

extension ImageError {
    fileprivate var reason: String {
        switch self {
        case .notFound: "source_not_found"
        case .httpStatus: "source_status"
        case .network(let failure) where failure.kind == .redirect: "source_not_allowed"
        case .network(let failure) where failure.kind == .timedOut: "source_timeout"
        case .network, .offline: "source_network"
        case .invalidURL: "url"
        case .tooLarge: "source_too_large"
        case .decoding: "decoding"
        case .cancelled, .shutDown: "cancelled"
        default: "internal"
        }
    }
}

extension RenderingFailure {
    fileprivate var reason: String {
        switch self {
        case .decoding: "decoding"
        case .encoding: "encoding"
        case .resultTooLarge, .tooManyBytes: "too_large"
        default: "processing"
        }
    }
}
