#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import ImageTransporting
    import NIOCore
    import NIOPosix
    import NIOSSL
    import Synchronization

    /// Sends requests over HTTP/1.1, HTTP/2 and HTTPS with async-http-client, for servers that use SwiftNIO.
    ///
    /// Connections are reused. gzip and deflate are decoded. A stall or a connection timeout is detected up to a
    /// quarter of the limit late, at most a second. The time in the queue for a connection only counts for
    /// `totalTimeout`.
    public struct AsyncHTTPClientTransport: DataTransport {
        /// The settings of a transport.
        public struct Configuration: Sendable {
            /// The maximum number of connections per server. Further transfers wait. HTTP/2 needs a single connection.
            public var maxConnectionsPerHost: Int
            /// The idle time after which a connection is closed.
            public var maxIdleTime: Duration
            /// The path of a PEM file with root certificates that replace the system's.
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
            /// certificates and so on. It disables redirects, decompression and retries in the client.
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

        /// Creates a transport with its own client and threads, which end when it and all its bodies are released.
        public init(configuration: Configuration = Configuration()) {
            engine = TransferEngine(
                ClientHolder(configuration), maxConnectionsPerHost: configuration.maxConnectionsPerHost)
        }

        /// Creates a transport with your own client. Shut down the client after the last transfer.
        ///
        /// - Parameters:
        ///   - client: A client with the configuration of `Configuration.makeClientConfiguration()`.
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

    /// Starts transfers on a client's event loops. Limits how many run at the same time to the number of connections.
    final class TransferEngine: Sendable {
        let holder: ClientHolder
        private let queues: Mutex<ServerQueues<Transfer>>

        init(_ holder: ClientHolder, maxConnectionsPerHost: Int) {
            self.holder = holder
            queues = Mutex(ServerQueues(limit: maxConnectionsPerHost))
        }

        /// The monotonic time of the event loops in milliseconds.
        var now: Int64 { holder.client.eventLoopGroup.any().milliseconds }

        /// - Parameter deadline: The time at which the transfer times out, in milliseconds of `now`.
        func start(_ request: TransportRequest, deadline: Int64) -> TransferChannel {
            let transfer = Transfer(
                request, loop: holder.client.eventLoopGroup.any(), deadline: deadline, engine: self)
            let channel = TransferChannel(
                request: request, resume: { transfer.resume() }, stop: { transfer.stop() })
            transfer.enter(channel)
            return channel
        }

        /// Changes the queues, and begins the transfers that may start now.
        func update(_ change: (inout ServerQueues<Transfer>) -> [Transfer]) {
            for transfer in queues.withLock({ change(&$0) }) { transfer.begin() }
        }
    }

    /// A client, and its event loops if they are the transport's own. Each transfer in progress retains it.
    final class ClientHolder: Sendable {
        let client: HTTPClient
        private let group: MultiThreadedEventLoopGroup?

        init(_ client: HTTPClient) {
            self.client = client
            group = nil
        }

        /// Creates a client and event loops, which are shut down when this object is released.
        init(_ configuration: AsyncHTTPClientTransport.Configuration) {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: min(max(1, configuration.threadCount), 64))
            client = HTTPClient(eventLoopGroup: group, configuration: configuration.makeClientConfiguration())
            self.group = group
        }

        /// Doesn't wait, because this may run on one of the event loops. The only error, a repeated shutdown, can't
        /// happen.
        deinit {
            if let group { client.shutdown { _ in group.shutdownGracefully { _ in } } }
        }
    }

    extension EventLoop {
        /// The monotonic time in milliseconds.
        var milliseconds: Int64 { Int64(now.uptimeNanoseconds / 1_000_000) }
    }
#endif
