#if AsyncHTTPClient
    import AsyncHTTPClient
    import ImageTransporting
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Maps an error of the client, SwiftNIO or TLS to a `TransportFailure`.
    struct ClientFailure {
        private let error: any Error
        private let request: TransportRequest
        private let isConnected: Bool

        init(_ error: any Error, request: TransportRequest, isConnected: Bool) {
            self.error = error
            self.request = request
            self.isConnected = isConnected
        }

        /// - Parameter channel: The channel of the transfer, for the number of received bytes. `nil` after the end.
        func failure(_ channel: TransferChannel?) -> TransportFailure {
            switch error {
            case let failure as TransportFailure: failure
            case let error as HTTPClientError: client(error, channel)
            case let error as HTTPParserError: parser(error, channel)
            case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
                isConnected ? broken(channel) : .tls(text)
            case let error as NIOConnectionError where error.connectionErrors.isEmpty: .unresolvedHost(text)
            default: isConnected ? broken(channel) : .connectionFailed(text)
            }
        }

        private func client(_ error: HTTPClientError, _ channel: TransferChannel?) -> TransportFailure {
            switch error {
            case .cancelled: .cancelled
            case .invalidURL, .emptyHost, .emptyScheme: .invalidURL(request.url.absoluteString)
            case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout,
                .socksHandshakeTimeout:
                .timedOut(.connect)
            case .remoteConnectionClosed where !isConnected && request.url.scheme?.lowercased() == "https":
                .tls("the connection was closed during the handshake")
            case .remoteConnectionClosed, .uncleanShutdown: broken(channel)
            default: .other(text)
            }
        }

        private func parser(_ error: HTTPParserError, _ channel: TransferChannel?) -> TransportFailure {
            switch error {
            case .invalidEOFState, .closedConnection: broken(channel)
            case .headerOverflow: .headTooLarge(allowedBytes: request.maxHeadBytes)
            default: .malformedResponse(text)
            }
        }

        private func broken(_ channel: TransferChannel?) -> TransportFailure {
            guard let channel, channel.hasHead else { return .connectionLost(text) }
            let (received, expected) = channel.progress
            return .closedEarly(received: received, expected: expected)
        }

        private var text: String { String(describing: error) }
    }
#endif
