#if RedisCaching
    import ImageCore
    import NIOCore
    import NIOPosix
    import NIOSSL
    import Synchronization

    /// Sends commands to a server over one connection, and leaves the server alone after a failure.
    final class RedisClient: Sendable {
        private struct State {
            var breaker: CircuitBreaker
            /// Why the breaker opened last.
            var lastOutage = ""
            var connection: RedisConnection?
            /// The number of connections so far, which identifies the current one.
            var connectionCount = 0
            var waitingCommands = 0
            /// Ends when a probe ends. Nil without a probe.
            var probe: Task<Void, Never>?
        }

        private let settings: RedisConnection.Settings
        private let maxWaitingCommands: Int
        private let elapsed: @Sendable () -> Duration
        private let state: Mutex<State>

        /// - Parameters:
        ///   - group: The event loops, or nil for those that SwiftNIO shares.
        ///   - clock: Measures the time without commands after a failure.
        init(
            _ url: URL, _ options: RedisCacheOptions, group: (any EventLoopGroup)?, clock: any Clock<Duration>
        ) throws(RedisConfigurationError) {
            let endpoint = try RedisEndpoint(url)
            settings = RedisConnection.Settings(
                endpoint: endpoint, tls: endpoint.usesTLS ? try options.makeTLSContext() : nil,
                group: group ?? MultiThreadedEventLoopGroup.singleton,
                connectTimeout: TimeAmount(options.connectTimeout), commandTimeout: TimeAmount(options.commandTimeout),
                limits: RedisReplyParser.Limits(bulkBytes: options.entryByteLimit + 1))
            maxWaitingCommands = options.maxWaitingCommands
            elapsed = stopwatch(clock)
            state = Mutex(
                State(breaker: CircuitBreaker(pause: options.retryDelay, maxPause: options.maxRetryDelay)))
        }

        deinit { closeConnection() }

        /// Whether commands are sent. False after a failure, until a probe succeeds.
        var isAvailable: Bool { state.withLock { $0.breaker.isClosed } }

        /// Returns when the probe in progress has ended, if there is one.
        func probeEnded() async { await state.withLock { $0.probe }?.value }

        /// Its commands fail. The next command opens a connection again.
        func closeConnection() { state.withLock { $0.connection }?.close() }

        /// Sends a command and returns the reply, which is no error.
        func send(_ command: RedisCommand) async throws(RedisFailure) -> RedisReply {
            let now = elapsed()
            let (admission, lastOutage) = state.withLock { ($0.breaker.admit(now: now), $0.lastOutage) }
            switch admission {
            case .admitted: return try await sendAndRecord(command)
            case .refused: throw .unavailable(lastOutage)
            case .probe:
                startProbe()
                throw .unavailable(lastOutage)
            }
        }

        private func sendAndRecord(_ command: RedisCommand) async throws(RedisFailure) -> RedisReply {
            let result = await transfer(command)
            let now = elapsed()
            state.withLock { state in
                switch result {
                // A command that was sent before a failure doesn't end the outage; a probe does.
                case .success where state.breaker.isClosed: state.breaker.ended(.up, isProbe: false, now: now)
                case .failure(let failure) where failure.isOutage:
                    state.breaker.ended(.down, isProbe: false, now: now)
                    state.lastOutage = "\(failure)"
                case .success, .failure: break
                }
            }
            return try result.get()
        }

        private func startProbe() {
            let probe = Task { await self.probe() }
            state.withLock { $0.probe = probe }
        }

        private func probe() async {
            let result = await transfer(RedisCommand("PING"))
            let now = elapsed()
            state.withLock { state in
                switch result {
                case .success: state.breaker.ended(.up, isProbe: true, now: now)
                case .failure(let failure):
                    state.breaker.ended(.down, isProbe: true, now: now)
                    state.lastOutage = "\(failure)"
                }
            }
        }

        private func transfer(_ command: RedisCommand) async -> Result<RedisReply, RedisFailure> {
            let connection = state.withLock { state -> RedisConnection? in
                guard state.waitingCommands < maxWaitingCommands else { return nil }
                state.waitingCommands += 1
                return self.connection(in: &state)
            }
            guard let connection else { return .failure(.overloaded) }
            defer { state.withLock { $0.waitingCommands -= 1 } }
            return await connection.send(command)
        }

        private func connection(in state: inout State) -> RedisConnection {
            if let connection = state.connection { return connection }
            state.connectionCount += 1
            let connection = RedisConnection(settings) { [weak self, number = state.connectionCount] in
                self?.closed(number)
            }
            state.connection = connection
            return connection
        }

        /// Forgets a connection that is closed. Called on an event loop, never within `connection(in:)`.
        private func closed(_ number: Int) {
            state.withLock { if $0.connectionCount == number { $0.connection = nil } }
        }
    }

    extension RedisCacheOptions {
        fileprivate func makeTLSContext() throws(RedisConfigurationError) -> NIOSSLContext {
            var configuration = TLSConfiguration.makeClientConfiguration()
            if let rootsFile { configuration.trustRoots = .file(rootsFile) }
            configuration.certificateVerification =
                switch tlsVerification {
                case .full: .fullVerification
                case .chainOnly: .noHostnameVerification
                case .disabled: .none
                }
            do {
                return try NIOSSLContext(configuration: configuration)
            } catch {
                throw .tls("\(error)")
            }
        }
    }

    /// A server, and how to log in: the contents of a URL.
    ///
    /// - `redis://[[user]:password@]host[:port][/database]`, or `rediss://` over TLS
    /// - `unix:///path[?database=number]` or `redis+unix:///path`, with user and password in front of the path
    struct RedisEndpoint: Hashable, Sendable {
        enum Address: Hashable, Sendable {
            case host(String, port: Int)
            case unix(path: String)
        }

        var address: Address
        var usesTLS = false
        var user: String?
        var password: String?
        var database = 0

        init(_ url: URL) throws(RedisConfigurationError) {
            switch url.scheme?.lowercased() {
            case "redis", "rediss":
                guard let host = url.host(percentEncoded: false), !host.isEmpty else {
                    throw .invalidURL("it has no host")
                }
                address = .host(host.filter { !"[]".contains($0) }, port: url.port ?? 6_379)
                usesTLS = url.scheme?.lowercased() == "rediss"
                database = try Self.number(String(url.path(percentEncoded: false).drop { $0 == "/" }))
            case "unix", "redis+unix":
                let path = url.path(percentEncoded: false)
                guard !path.isEmpty, path != "/" else { throw .invalidURL("it has no path of a socket") }
                address = .unix(path: path)
                database = try Self.number(Self.databaseParameter(of: url) ?? "")
            default: throw .invalidURL("its scheme is not redis, rediss, unix or redis+unix")
            }
            user = url.user(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
            password = url.password(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
        }

        private static func number(_ text: String) throws(RedisConfigurationError) -> Int {
            if text.isEmpty { return 0 }
            guard let number = Int(text) else { throw .invalidURL("the database is not a number") }
            if number < 0 { throw .invalidURL("the database is negative") }
            return number
        }

        private static func databaseParameter(of url: URL) -> String? {
            URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?
                .first { ["database", "db"].contains($0.name) }?.value
        }
    }
#endif
