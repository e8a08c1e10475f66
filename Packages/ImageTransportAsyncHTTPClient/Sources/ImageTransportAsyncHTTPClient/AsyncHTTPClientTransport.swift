#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import ImageTransporting
    import NIOCore
    import NIOSSL

    /// Sends requests over HTTP/1.1, HTTP/2 and HTTPS with async-http-client, for servers that use SwiftNIO.
    ///
    /// Connections are reused. The transport requests gzip, and decodes gzip and deflate. If a request has a Range or
    /// its own Accept-Encoding, the body is returned as received.
    ///
    /// Timeouts use the monotonic clock of the event loops. A stall or a connection timeout is detected up to a quarter
    /// of the limit late, at most a second. The time in the queue for a connection only counts for `totalTimeout`.
    public struct AsyncHTTPClientTransport: DataTransport {
        /// The settings of a transport.
        public struct Configuration: Sendable {
            /// The maximum number of connections per origin. Further transfers wait. HTTP/2 needs a single connection.
            public var maxConnectionsPerHost: Int
            /// The idle time after which a connection is closed.
            public var maxIdleTime: Duration
            /// The path of a PEM file with root certificates that replace the system's, as for a private certificate
            /// authority. Verification can't be disabled.
            public var rootsFile: String?
            /// The maximum time to establish a connection. Applies even if the requests that wait for it allow more.
            public var connectTimeout: Duration
            /// The number of event loops, clamped to 1...64. Each has a thread.
            public var threadCount: Int

            /// Creates a configuration.
            public init(
                maxConnectionsPerHost: Int = 6, maxIdleTime: Duration = .seconds(60), rootsFile: String? = nil,
                connectTimeout: Duration = .seconds(15), threadCount: Int = 1
            ) {
                self.maxConnectionsPerHost = maxConnectionsPerHost
                self.maxIdleTime = maxIdleTime
                self.rootsFile = rootsFile
                self.connectTimeout = connectTimeout
                self.threadCount = threadCount
            }

            /// Returns the configuration for a client that you create yourself. You may add proxies, client
            /// certificates and so on.
            ///
            /// It disables redirects and decompression in the client, because the transport handles them. It also
            /// disables retries of connections, so that failures are reported immediately.
            public func makeClientConfiguration() -> HTTPClient.Configuration {
                var tls = TLSConfiguration.makeClientConfiguration()
                if let rootsFile { tls.trustRoots = .file(rootsFile) }
                var made = HTTPClient.Configuration(
                    tlsConfiguration: tls, redirectConfiguration: .disallow,
                    timeout: .init(connect: .milliseconds(connectTimeout.wholeMilliseconds)), decompression: .disabled)
                made.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = min(
                    max(1, maxConnectionsPerHost), 65_535)
                made.connectionPool.idleTimeout = .milliseconds(maxIdleTime.wholeMilliseconds)
                made.connectionPool.retryConnectionEstablishment = false
                return made
            }
        }

        private let engine: TransferEngine

        /// Creates a transport with its own client and threads. They end when the transport and all its response bodies
        /// are released.
        public init(configuration: Configuration = Configuration()) {
            engine = TransferEngine(
                ClientHolder(configuration), maxConnectionsPerHost: configuration.maxConnectionsPerHost)
        }

        /// Creates a transport with your own client. Shut down the client after the last transfer.
        ///
        /// - Parameters:
        ///   - client: A client with the configuration of `Configuration.makeClientConfiguration()`. If the client
        ///     follows redirects, requests that are redirected fail.
        ///   - maxConnectionsPerHost: The connection limit of the client.
        public init(client: HTTPClient, maxConnectionsPerHost: Int = 6) {
            engine = TransferEngine(ClientHolder(client), maxConnectionsPerHost: maxConnectionsPerHost)
        }

        /// Sends a request. Returns when the head of the final response has arrived.
        public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
            let deadline = request.totalTimeout.map { engine.now + $0.wholeMilliseconds } ?? .max
            return try await RedirectChain.response(to: request) { hop throws(TransportFailure) in
                try await engine.start(hop, deadline: deadline).response()
            }
        }
    }
#endif
