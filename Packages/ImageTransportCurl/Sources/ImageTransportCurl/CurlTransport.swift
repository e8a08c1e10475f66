import CImageTransportCurl
public import ImageTransporting

/// HTTP/1.1, HTTP/2 over TLS and HTTPS by libcurl's multi interface, on one event thread of its own.
///
/// The thread starts with the transport and ends when the transport and every body it gave out are gone. Connections are
/// kept and shared. gzip is asked for, and it and deflate are decoded; a request that names a range or its own
/// Accept-Encoding gets the body as it is coded.
///
/// Time: all timeouts run on the system's monotonic clock inside the event thread, since a socket can't be made to wait for
/// a test's clock; a stall is noticed up to half its length, at most two seconds, late. Time in which a transfer waits for a
/// free connection counts for `totalTimeout` alone.
public struct CurlTransport: DataTransport {
    /// What all requests of a transport share.
    public struct Configuration: Sendable {
        /// Connections to one host at once; more transfers wait, without limit of time. HTTP/2 needs one.
        public var maxConnectionsPerHost: Int
        /// Connections at once in all, and the most kept open when idle.
        public var maxConnections: Int
        /// After so long without a transfer a connection is not used again, in whole seconds: the origin may have closed it.
        public var maxIdleTime: Duration
        /// A PEM file with the roots to trust instead of the system's, for private authorities. Verification is never off.
        public var rootsFile: String?
        /// Whether `http_proxy`, `https_proxy` and `no_proxy` are obeyed.
        public var usesEnvironmentProxy: Bool

        public init(
            maxConnectionsPerHost: Int = 6, maxConnections: Int = 64, maxIdleTime: Duration = .seconds(60),
            rootsFile: String? = nil, usesEnvironmentProxy: Bool = true
        ) {
            self.maxConnectionsPerHost = maxConnectionsPerHost
            self.maxConnections = maxConnections
            self.maxIdleTime = maxIdleTime
            self.rootsFile = rootsFile
            self.usesEnvironmentProxy = usesEnvironmentProxy
        }
    }

    private let engine: CurlEngine?

    /// Starts the event thread. When the system has no thread or memory left, every `send` throws `.other`.
    public init(configuration: Configuration = Configuration()) {
        engine = CurlEngine(configuration: configuration)
    }

    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard let engine else { throw .other("no thread or memory for libcurl") }
        let deadline = request.totalTimeout.map { itc_now_ms() + $0.wholeMilliseconds } ?? .max
        return try await RedirectTrail.response(to: request) { hop throws(TransportFailure) in
            try await engine.start(hop, deadline: deadline).response()
        }
    }
}
