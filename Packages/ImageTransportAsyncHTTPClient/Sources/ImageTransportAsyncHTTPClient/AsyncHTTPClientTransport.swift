#if AsyncHTTPClient
    public import AsyncHTTPClient
    import ImageCore
    public import ImageTransporting
    import NIOCore
    import NIOSSL
    import Synchronization

    /// Sends requests over HTTP/1.1, HTTP/2 and HTTPS with async-http-client, for servers that use SwiftNIO.
    ///
    /// Connections are reused. gzip and deflate are decoded. A stall or a connection timeout is detected up to a
    /// quarter of the limit late, at most a second. The time in the queue for a connection only counts for
    /// `totalTimeout`.
    public struct AsyncHTTPClientTransport: DataTransport {
        /// The options of a transport.
        public struct Options: Sendable {
            /// The maximum number of connections per server. Further transfers wait. HTTP/2 needs a single connection.
            public var maxConnectionsPerServer: Int
            /// The idle time after which a connection is closed.
            public var maxIdleTime: Duration
            /// The path of a PEM file with root certificates that replace the system's.
            public var rootsFile: String?
            /// The maximum time to establish a connection. Applies even if the requests that wait for it allow more.
            public var connectTimeout: Duration
            /// The number of event loops, clamped to 1...64. Each has a thread.
            public var threadCount: Int

            /// Creates options.
            public init(
                maxConnectionsPerServer: Int = 6, maxIdleTime: Duration = .seconds(60), rootsFile: String? = nil,
                connectTimeout: Duration = .seconds(15), threadCount: Int = 1
            ) {
                self.maxConnectionsPerServer = maxConnectionsPerServer
                self.maxIdleTime = maxIdleTime
                self.rootsFile = rootsFile
                self.connectTimeout = connectTimeout
                self.threadCount = threadCount
            }

            /// Returns the configuration for a client that you create yourself. You may add proxies, client
            /// certificates and so on. It disables redirects, decompression and retries in the client.
            public func makeClientConfiguration() -> HTTPClient.Configuration {
                var tls = TLSConfiguration.makeClientConfiguration()
                if let rootsFile { tls.trustRoots = .file(rootsFile) }
                var made = HTTPClient.Configuration(
                    tlsConfiguration: tls, redirectConfiguration: .disallow,
                    timeout: .init(connect: .milliseconds(connectTimeout.wholeMilliseconds)), decompression: .disabled)
                made.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = min(
                    max(1, maxConnectionsPerServer), 65_535)
                made.connectionPool.idleTimeout = .milliseconds(maxIdleTime.wholeMilliseconds)
                made.connectionPool.retryConnectionEstablishment = false
                made.http1_1ConnectionDebugInitializer = { FramingByteLimit.add(to: $0) }
                return made
            }
        }

        private let engine: TransferEngine

        /// Creates a transport with its own client and threads, which end when it and all its bodies are released.
        public init(options: Options = Options()) {
            engine = TransferEngine(
                CurrentClient(options), maxConnectionsPerServer: options.maxConnectionsPerServer)
        }

        /// Creates a transport with your own client. Shut down the client after the last transfer.
        ///
        /// The transport can't close a connection of your client on which a transfer has stalled.
        ///
        /// - Parameters:
        ///   - client: A client with the configuration of `Options.makeClientConfiguration()`.
        ///   - maxConnectionsPerServer: The connection limit of the client.
        public init(client: HTTPClient, maxConnectionsPerServer: Int = 6) {
            engine = TransferEngine(CurrentClient(client), maxConnectionsPerServer: maxConnectionsPerServer)
        }

        /// Closes the connections without transfers, except those of your own client.
        public func closeIdleConnections() { engine.client.replace() }

        /// Sends a request. Returns when the head of the final response has arrived.
        public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let deadline = request.totalTimeout.map { engine.now + $0.wholeMilliseconds } ?? .max
            return try await RedirectChain.response(to: request) { hop throws(TransportError) in
                try await engine.start(hop, deadline: deadline).response()
            }
        }
    }

    /// Starts transfers on a client's event loops. Limits how many run at the same time to the number of connections.
    final class TransferEngine: Sendable {
        let client: CurrentClient
        private let queues: Mutex<ServerQueues<Transfer>>

        init(_ client: CurrentClient, maxConnectionsPerServer: Int) {
            self.client = client
            queues = Mutex(ServerQueues(limit: maxConnectionsPerServer))
        }

        /// The monotonic time of the event loops in milliseconds.
        var now: Int64 { client.eventLoop.milliseconds }

        /// - Parameter deadline: The time at which the transfer times out, in milliseconds of `now`.
        func start(_ request: TransportRequest, deadline: Int64) -> TransferChannel {
            let transfer = Transfer(request, loop: client.eventLoop, deadline: deadline, engine: self)
            let channel = TransferChannel(
                request: request, resume: { transfer.resume() }, stop: { transfer.stop() })
            transfer.enter(channel)
            return channel
        }

        /// Changes the queues, and begins the transfers that may start now.
        func update(_ change: (inout ServerQueues<Transfer>) -> [Transfer]) {
            for transfer in queues.withLock({ change(&$0) }) { transfer.begin() }
        }

        func note(_ change: (inout ServerQueues<Transfer>) -> Void) { queues.withLock { change(&$0) } }

        /// Handles a transfer in progress that timed out or was cancelled. The client keeps its connection if it is one
        /// of HTTP/2, and others that may be dead.
        func gaveUp(_ request: TransportRequest) {
            let (server, now) = (request.url.server, now)
            let limit = request.stallTimeout.wholeMilliseconds
            if queues.withLock({ $0.isDead(server, stallLimit: limit, now: now) }) { client.replace() }
        }
    }

    extension EventLoop {
        /// The monotonic time in milliseconds.
        var milliseconds: Int64 { Int64(now.uptimeNanoseconds / 1_000_000) }
    }
#endif
