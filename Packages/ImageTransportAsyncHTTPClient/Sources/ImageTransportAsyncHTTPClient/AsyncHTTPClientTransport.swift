#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import ImageTransporting
    import NIOCore
    import NIOSSL

    /// HTTP/1.1, HTTP/2 over TLS and HTTPS by async-http-client, for servers that run on SwiftNIO already.
    ///
    /// Connections are kept and shared. gzip is asked for, and it and deflate are decoded here; a request that names a range or its
    /// own Accept-Encoding gets the body as it is coded.
    ///
    /// Time: all timeouts run on the event loops, with their monotonic time; a stall, or a connection that does not come, is noticed
    /// up to a quarter of the limit, at most a second, late. Time in the queue for a connection counts for `totalTimeout` alone.
    public struct AsyncHTTPClientTransport: DataTransport {
        /// What all requests of a transport share.
        public struct Configuration: Sendable {
            /// Connections to one origin at once; more transfers wait, without limit of time. HTTP/2 needs one.
            public var maxConnectionsPerHost: Int
            /// After so long without a transfer a connection is closed.
            public var maxIdleTime: Duration
            /// A PEM file with the roots to trust instead of the system's, for private authorities. Verification is never off.
            public var rootsFile: String?
            /// How long a connection is tried in any case, also when the requests that it was for allow more or have gone.
            public var connectTimeout: Duration
            /// Event loops, each a thread.
            public var threadCount: Int

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

            /// The configuration for a client that is handed in: nothing is followed or decoded behind the transport's back, and
            /// a connection that fails is told at once. Proxies, certificates of the client's own and the like may be added.
            public func makeClientConfiguration() -> HTTPClient.Configuration {
                var tls = TLSConfiguration.makeClientConfiguration()
                if let rootsFile { tls.trustRoots = .file(rootsFile) }
                var made = HTTPClient.Configuration(
                    tlsConfiguration: tls, redirectConfiguration: .disallow,
                    timeout: .init(connect: .milliseconds(connectTimeout.wholeMilliseconds)), decompression: .disabled)
                made.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = maxConnectionsPerHost
                made.connectionPool.idleTimeout = .milliseconds(maxIdleTime.wholeMilliseconds)
                made.connectionPool.retryConnectionEstablishment = false
                return made
            }
        }

        private let engine: TransferEngine

        /// A transport with a client and threads of its own. They end when the transport and every body it gave out are gone.
        public init(configuration: Configuration = Configuration()) {
            engine = TransferEngine(
                OwnedClient(configuration), maxConnectionsPerHost: configuration.maxConnectionsPerHost)
        }

        /// A transport over the application's own client, which the application shuts down, after the transport's last transfer.
        ///
        /// - Parameters:
        ///   - client: made with `Configuration.makeClientConfiguration()`; what the application changes there is its affair. A
        ///     client that follows redirects by itself fails each request that is redirected.
        ///   - maxConnectionsPerHost: as the client's own limit.
        public init(client: HTTPClient, maxConnectionsPerHost: Int = 6) {
            engine = TransferEngine(BorrowedClient(client), maxConnectionsPerHost: maxConnectionsPerHost)
        }

        public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
            let deadline = request.totalTimeout.map { engine.now + $0.wholeMilliseconds } ?? .max
            return try await RedirectTrail.response(to: request) { hop throws(TransportFailure) in
                try await engine.start(hop, deadline: deadline).response()
            }
        }
    }
#endif
