#if RedisCaching
    import NIOCore
    import NIOPosix
    import NIOSSL

    /// A connection to a server, with pipelined commands. Uses `state` only on the event loop.
    ///
    /// Replies have the order of the commands. After a timeout, a reply without a command or bytes that are no reply, the
    /// connection is closed, and all its commands fail.
    final class RedisConnection: Sendable {
        /// What a connection needs. The same for all connections of a client.
        struct Settings: Sendable {
            var endpoint: RedisEndpoint
            var tls: NIOSSLContext?
            var loops: RedisEventLoops
            var connectTimeout: TimeAmount
            var commandTimeout: TimeAmount
            var limits: RedisReplyParser.Limits
        }

        typealias Completion = @Sendable (Result<RedisReply, RedisFailure>) -> Void

        private struct Waiting {
            var command: ByteBuffer
            var completion: Completion
        }

        private struct Sent {
            var deadline: NIODeadline
            var completion: Completion
        }

        private enum Phase { case connecting, ready, closed }

        private struct State {
            var phase = Phase.connecting
            var channel: (any Channel)?
            var parser: RedisReplyParser?
            /// The commands that arrived before the connection was ready.
            var waiting: [Waiting] = []
            /// The commands without a reply, in order.
            var sent = CircularBuffer<Sent>()
            /// The number of replies until the connection is ready.
            var missingLogins = 0
            var connectTimer: Scheduled<Void>?
            var commandTimer: Scheduled<Void>?
            var isFlushScheduled = false
        }

        private let settings: Settings
        private let loop: any EventLoop
        private let state: NIOLoopBoundBox<State>
        private let onClose: @Sendable (RedisConnection) -> Void

        /// Creates a connection that isn't open yet.
        ///
        /// - Parameter onClose: Called once on the event loop when the connection is closed, before its commands fail.
        init(_ settings: Settings, loop: any EventLoop, onClose: @escaping @Sendable (RedisConnection) -> Void) {
            self.settings = settings
            self.loop = loop
            self.onClose = onClose
            state = .makeBoxSendingValue(State(), eventLoop: loop)
        }

        // MARK: From any thread

        /// Opens the connection. Call it once.
        func open() { loop.execute { self.connect() } }

        /// Sends a command as soon as the connection is ready. Calls `completion` once on the event loop.
        func send(_ command: ByteBuffer, completion: @escaping Completion) {
            loop.execute {
                switch self.state.value.phase {
                case .connecting: self.state.value.waiting.append(Waiting(command: command, completion: completion))
                case .ready: self.write(command, completion)
                case .closed: completion(.failure(.disconnected("the connection is closed")))
                }
            }
        }

        /// Closes the connection. Its commands fail.
        func close() { loop.execute { self.fail(.disconnected("the client closed the connection")) } }

        // MARK: On the event loop

        private func connect() {
            guard state.value.phase == .connecting else { return }
            guard let parser = RedisReplyParser(limits: settings.limits) else {
                return fail(.malformed("there is no memory for a parser"))
            }
            state.value.parser = parser
            state.value.connectTimer = loop.scheduleTask(in: settings.connectTimeout) { self.fail(.timedOut) }
            let bootstrap = ClientBootstrap(group: loop).connectTimeout(settings.connectTimeout)
                .channelInitializer { self.addHandlers(to: $0) }
            let connecting =
                switch settings.endpoint.address {
                case .host(let host, let port): bootstrap.connect(host: host, port: port)
                case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
                }
            // Retains this connection, and with it the event loops.
            connecting.whenComplete { self.connected($0) }
        }

        private func addHandlers(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                if let tls = settings.tls {
                    let handler = try NIOSSLClientHandler(context: tls, serverHostname: settings.endpoint.serverName)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
                try channel.pipeline.syncOperations.addHandler(RedisReplyHandler(self))
            }
        }

        private func connected(_ result: Result<any Channel, any Error>) {
            switch result {
            case .failure(let error): fail(.disconnected("connect: \(error)"))
            case .success(let channel):
                // The connection may have timed out meanwhile.
                guard state.value.phase == .connecting else { return channel.close(promise: nil) }
                state.value.channel = channel
                logIn()
            }
        }

        /// Sends the commands that prepare the connection. The first error closes it.
        private func logIn() {
            let commands = settings.endpoint.loginCommands
            state.value.missingLogins = commands.count
            for command in commands {
                guard let bytes = command.formatted() else { return fail(.malformed("there is no memory")) }
                write(bytes) { self.loginReplied($0) }
            }
        }

        private func loginReplied(_ result: Result<RedisReply, RedisFailure>) {
            switch result {
            case .failure(let failure): fail(failure)
            case .success:
                state.value.missingLogins -= 1
                if state.value.missingLogins == 0 { becomeReady() }
            }
        }

        private func becomeReady() {
            guard state.value.phase == .connecting else { return }
            state.value.phase = .ready
            state.value.connectTimer?.cancel()
            let waiting = state.value.waiting
            state.value.waiting = []
            for command in waiting { write(command.command, command.completion) }
        }

        private func write(_ command: ByteBuffer, _ completion: @escaping Completion) {
            guard let channel = state.value.channel else {
                return completion(.failure(.disconnected("the connection is closed")))
            }
            state.value.sent.append(Sent(deadline: loop.now + settings.commandTimeout, completion: completion))
            scheduleCommandTimer()
            channel.write(command, promise: nil)
            guard !state.value.isFlushScheduled else { return }
            // One system call writes all commands that arrive in this turn of the loop.
            state.value.isFlushScheduled = true
            loop.execute {
                self.state.value.isFlushScheduled = false
                channel.flush()
            }
        }

        /// Passes received bytes to the parser, and replies to their commands.
        fileprivate func received(_ bytes: ByteBuffer) {
            guard state.value.phase != .closed, let parser = state.value.parser else { return }
            do throws(RedisFailure) {
                let replies = unsafe try bytes.withUnsafeReadableBytes { bytes throws(RedisFailure) in
                    unsafe try parser.replies(with: bytes)
                }
                // Replies that are out of step with the commands are not trusted.
                guard replies.count <= state.value.sent.count else { throw .malformed("a reply to no command") }
                for reply in replies { deliver(reply) }
            } catch {
                fail(error)
            }
        }

        private func deliver(_ reply: RedisReply) {
            // A completion of the login can close the connection.
            guard let sent = state.value.sent.popFirst() else { return }
            switch reply {
            case .error(let error): sent.completion(.failure(.server(error)))
            default: sent.completion(.success(reply))
            }
        }

        // MARK: Time

        /// Schedules a check of the oldest command, unless one is scheduled.
        private func scheduleCommandTimer() {
            guard state.value.commandTimer == nil, let oldest = state.value.sent.first else { return }
            state.value.commandTimer = loop.scheduleTask(deadline: oldest.deadline) {
                self.state.value.commandTimer = nil
                if let oldest = self.state.value.sent.first, oldest.deadline <= self.loop.now {
                    self.fail(.timedOut)
                } else {
                    self.scheduleCommandTimer()
                }
            }
        }

        // MARK: The end

        /// Closes the connection, and fails all its commands.
        fileprivate func fail(_ failure: RedisFailure) {
            guard state.value.phase != .closed else { return }
            let ended = state.value
            state.value = State(phase: .closed)
            ended.connectTimer?.cancel()
            ended.commandTimer?.cancel()
            ended.channel?.close(promise: nil)
            onClose(self)
            for command in ended.sent { command.completion(.failure(failure)) }
            for command in ended.waiting { command.completion(.failure(failure)) }
        }
    }

    /// Passes the events of a channel to its connection.
    private final class RedisReplyHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let connection: RedisConnection

        init(_ connection: RedisConnection) { self.connection = connection }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { connection.received(unwrapInboundIn(data)) }

        func channelInactive(context: ChannelHandlerContext) {
            connection.fail(.disconnected("the server closed the connection"))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            connection.fail(.disconnected("\(error)"))
            context.close(promise: nil)
        }
    }

    extension RedisEndpoint {
        /// The name that a certificate must have. Nil for an IP address, which SNI doesn't allow (RFC 6066, section 3).
        fileprivate var serverName: String? {
            guard case .host(let host, _) = address else { return nil }
            return (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
        }

        /// The commands that log in and select the database. There is at least one, so that a connection is only ready
        /// if the server replies.
        fileprivate var loginCommands: [RedisCommand] {
            var commands: [RedisCommand] = []
            switch (user, password) {
            case (let user?, let password?): commands.append(RedisCommand("AUTH", user, password))
            case (nil, let password?): commands.append(RedisCommand("AUTH", password))
            default: break
            }
            if database > 0 { commands.append(RedisCommand("SELECT", String(database))) }
            return commands + [RedisCommand("PING")]
        }
    }
#endif
