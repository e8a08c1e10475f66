#if canImport(Darwin)
    import Foundation
    import ImageTransporting

    /// Maps an error of URLSession to a `TransportFailure`.
    struct SessionFailure {
        private let error: any Error

        init(_ error: any Error) { self.error = error }

        func failure(hasHead: Bool, received: Int, expected: Int?) -> TransportFailure {
            let text = error.localizedDescription
            guard let code = (error as? URLError)?.code else { return .other(text) }
            switch code {
            case .cancelled: return .cancelled
            case .timedOut: return .timedOut(hasHead ? .body : .head)
            case .badURL, .unsupportedURL: return .invalidURL(text)
            case .cannotFindHost, .dnsLookupFailed: return .unresolvedHost(text)
            case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
                return .connectionFailed(text)
            case .networkConnectionLost:
                return hasHead ? .closedEarly(received: received, expected: expected) : .connectionLost(text)
            case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
                return .malformedResponse(text)
            case .dataLengthExceedsMaximum: return .malformedResponse(text)
            default: return isTLS(code) ? .tls(text) : .other(text)
            }
        }

        private func isTLS(_ code: URLError.Code) -> Bool {
            switch code {
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
                true
            default: false
            }
        }
    }
#endif
