import CImageTransportCurl
public import ImageTransporting

/// Sends requests over HTTP/1.1, HTTP/2 and HTTPS with libcurl's multi interface.
///
/// Each transport has an event thread, which ends when the transport and all its response bodies are released.
/// Connections are reused. The transport requests gzip, and decodes gzip and deflate. If a request has a Range or its
/// own Accept-Encoding, the body is returned as received.
///
/// Timeouts use the system's monotonic clock. A stall is detected up to half of `stallTimeout` late, at most two
/// seconds. The time that a transfer waits for a free connection only counts for `totalTimeout`.
public struct CurlTransport: DataTransport {
    /// The options of a transport.
    public struct Options: Sendable {
        /// The maximum number of connections per server, clamped to 1...65,535. Further transfers wait. HTTP/2 needs a single
        /// connection.
        public var maxConnectionsPerServer: Int
        /// The maximum number of connections in total, in use or idle, clamped to 1...65,535.
        public var maxConnections: Int
        /// The idle time after which a connection isn't reused, because the server may have closed it. Rounded down to
        /// seconds, from 1 second to 1 day.
        public var maxIdleTime: Duration
        /// The path of a PEM file with root certificates that replace the system's, as for a private certificate
        /// authority. Verification can't be disabled.
        public var rootsFile: String?
        /// Whether the environment variables `http_proxy`, `https_proxy` and `no_proxy` apply.
        public var usesEnvironmentProxy: Bool
        /// Returns whether the transport may connect to an address; nil to allow all.
        ///
        /// It is called for each new connection, after the host name is resolved, also for redirects. The connection goes
        /// to exactly this address. If all addresses of a host are refused, `send` throws `.blockedAddress`. A proxy hides
        /// the address of the host, so set `usesEnvironmentProxy` to false. Called on the transport's event thread, so
        /// it must return quickly.
        public var addressPolicy: (@Sendable (TransportAddress) -> Bool)?

        /// Creates options.
        public init(
            maxConnectionsPerServer: Int = 6, maxConnections: Int = 64, maxIdleTime: Duration = .seconds(60),
            rootsFile: String? = nil, usesEnvironmentProxy: Bool = true,
            addressPolicy: (@Sendable (TransportAddress) -> Bool)? = nil
        ) {
            self.maxConnectionsPerServer = maxConnectionsPerServer
            self.maxConnections = maxConnections
            self.maxIdleTime = maxIdleTime
            self.rootsFile = rootsFile
            self.usesEnvironmentProxy = usesEnvironmentProxy
            self.addressPolicy = addressPolicy
        }
    }

    private let engine: CurlEngine?

    /// Creates a transport and starts its event thread. If the system has no thread or memory, `send` throws `.other`.
    public init(options: Options = Options()) {
        engine = CurlEngine(options: options)
    }

    /// Sends a request. Returns when the head of the final response has arrived.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let engine else { throw .other("no thread or memory for libcurl") }
        let deadline = request.totalTimeout.map { itc_now_ms() + $0.wholeMilliseconds } ?? .max
        return try await RedirectChain.response(to: request) { hop throws(TransportError) in
            try await engine.start(hop, deadline: deadline).response()
        }
    }

    /// Closes the connections without transfers.
    public func closeIdleConnections() { engine?.closeIdleConnections() }
}
