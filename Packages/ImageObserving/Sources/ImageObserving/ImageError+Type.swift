import ImageCore

extension ImageError {
    /// The value of `error.type` (OpenTelemetry): the status of the response, or the name of the case.
    var type: String {
        switch self {
        case .invalidURL: "invalid_url"
        case .invalidHeader: "invalid_header"
        case .network(let failure): failure.kind.rawValue
        case .httpStatus(let status, _): "\(status)"
        case .notFound: "not_found"
        case .decoding: "decoding"
        case .fetch: "fetch"
        case .circularFetch: "circular_fetch"
        case .modifier: "modifier"
        case .processing: "processing"
        case .tooLarge: "too_large"
        case .offline: "offline"
        case .cancelled: "cancelled"
        case .accountChanged: "account_changed"
        case .shutDown: "shut_down"
        @unknown default: "_OTHER"
        }
    }

    /// The type as the value of a label, of which there must be few: `4xx` in place of a status.
    var label: String {
        if case .httpStatus(let status, _) = self { return "\(status / 100)xx" }
        return type
    }
}
