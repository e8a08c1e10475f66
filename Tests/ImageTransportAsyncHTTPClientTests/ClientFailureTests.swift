#if AsyncHTTPClient
    import AsyncHTTPClient
    import Foundation
    import ImageTransporting
    import NIOCore
    import NIOHTTP1
    import NIOSSL
    import Testing

    @testable import ImageTransportAsyncHTTPClient

    @Suite("Failures of the client")
    struct ClientFailureTests {
        private static let timeouts: [HTTPClientError] = [
            .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout,
            .socksHandshakeTimeout,
        ]

        private func failure(
            _ error: any Error, isConnected: Bool = false, url: String = "http://images.example/a"
        ) throws -> TransportError {
            let request = TransportRequest(url: try #require(URL(string: url)))
            return request.failure(for: error, isConnected: isConnected, nil)
        }

        @Test("the client's own timeouts are those of a connection", arguments: timeouts)
        func timeout(error: HTTPClientError) throws { #expect(try failure(error) == .timedOut(.connect)) }

        @Test("a URL that the client can't use is invalid")
        func url() throws {
            for error: HTTPClientError in [.invalidURL, .emptyHost, .emptyScheme] {
                #expect(try failure(error) == .invalidURL("http://images.example/a"))
            }
        }

        @Test("a cancelled request is cancelled, and what has no name is another failure")
        func others() throws {
            #expect(try failure(HTTPClientError.cancelled) == .cancelled)
            #expect(try failure(HTTPClientError.readTimeout) == .other("\(HTTPClientError.readTimeout)"))
            #expect(try failure(TransportError.tooLarge(byteLimit: 1)) == .tooLarge(byteLimit: 1))
        }

        @Test("a connection that is closed is lost, or fails in the handshake of TLS")
        func closed() throws {
            let closed = HTTPClientError.remoteConnectionClosed
            let https = "HTTPS://images.example/a"
            let handshake = TransportError.tls("the connection was closed during the handshake")
            #expect(try failure(closed, url: https) == handshake)
            #expect(try failure(closed, isConnected: true, url: https) == .connectionLost("\(closed)"))
            #expect(try failure(closed) == .connectionLost("\(closed)"))
            let unclean = HTTPClientError.uncleanShutdown
            #expect(try failure(unclean, url: https) == .connectionLost("\(unclean)"))
            for error: HTTPParserError in [.invalidEOFState, .closedConnection] {
                #expect(try failure(error, isConnected: true) == .connectionLost("\(error)"))
            }
        }

        @Test("errors of TLS are failures of its handshake, or of the connection after it")
        func tls() throws {
            let errors: [any Error] = [
                NIOSSLError.uncleanShutdown, NIOSSLExtraError.failedToValidateHostname, BoringSSLError.zeroReturn,
            ]
            for error in errors {
                #expect(try failure(error) == .tls("\(error)"))
                #expect(try failure(error, isConnected: true) == .connectionLost("\(error)"))
            }
        }

        @Test("other errors are failures to connect, or of the connection")
        func system() throws {
            let error = ChannelError.eof
            #expect(try failure(error) == .connectionFailed("\(error)"))
            #expect(try failure(error, isConnected: true) == .connectionLost("\(error)"))
        }
    }
#endif
