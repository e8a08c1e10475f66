#if RedisCaching
    import NIOCore
    import NIOPosix
    import NIOSSL

    /// A connection to a server, with pipelined commands. After a timeout or an invalid reply, it is closed, and all
    /// its commands fail.
    final class RedisConnection: Sendable {
        struct Settings: Sendable {
            var endpoint: RedisEndpoint
            var tls: NIOSSLContext?
            var group: any EventLoopGroup
            var connectTimeout: TimeAmount
            var commandTimeout: TimeAmount
            var limits: RedisReplyParser.Limits
        }

        private let commandTimeout: TimeAmount
        /// The channel, as soon as the login has succeeded.
        private let channel: EventLoopFuture<any Channel>

        /// - Parameter onClose: Called on an event loop when the connection is closed, before its commands fail.
        init(_ settings: Settings, onClose: @escaping @Sendable () -> Void) {
            commandTimeout = settings.commandTimeout
            let bootstrap = ClientBootstrap(group: settings.group).connectTimeout(settings.connectTimeout)
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try settings.addHandlers(to: channel, onClose) }
                }
            let connecting =
                switch settings.endpoint.address {
                case .host(let host, let port): bootstrap.connect(host: host, port: port)
                case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
                }
            channel = connecting.flatMap { Self.logIn(on: $0, settings) }.flatMapErrorThrowing { error in
                onClose()
                throw error
            }
        }

        /// Sends a command as soon as the connection is ready.
        func send(_ command: RedisCommand) async -> Result<RedisReply, RedisFailure> {
            do {
                let timeout = commandTimeout
                let reply = channel.flatMap { Self.send(command, on: $0, timeout: timeout) }
                return .success(try await reply.get())
            } catch {
                return .failure(RedisFailure(error))
            }
        }

        /// Closes the connection. Its commands fail.
        func close() { channel.whenSuccess { $0.close(promise: nil) } }

        /// The first error closes the connection.
        private static func logIn(on channel: any Channel, _ settings: Settings) -> EventLoopFuture<any Channel> {
            let replies = settings.endpoint.loginCommands.map {
                send($0, on: channel, timeout: settings.connectTimeout)
            }
            let result = EventLoopFuture.andAllSucceed(replies, on: channel.eventLoop)
            result.whenFailure { _ in channel.close(promise: nil) }
            return result.map { channel }
        }

        private static func send(
            _ command: RedisCommand, on channel: any Channel, timeout: TimeAmount
        ) -> EventLoopFuture<RedisReply> {
            let reply = channel.eventLoop.makePromise(of: RedisReply.self)
            let exchange = RedisExchange(command: command.formatted, timeout: timeout, reply: reply)
            channel.writeAndFlush(exchange).cascadeFailure(to: reply)
            return reply.futureResult
        }
    }

    private struct RedisExchange: Sendable {
        let command: ByteBuffer
        let timeout: TimeAmount
        let reply: EventLoopPromise<RedisReply>
    }

    /// Writes commands, and passes the replies to them in order.
    private final class RedisCommandHandler: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = RedisExchange
        typealias OutboundOut = ByteBuffer

        private let parser: RedisReplyParser
        private let onClose: @Sendable () -> Void
        /// The commands without a reply, in order.
        private var sent = CircularBuffer<(deadline: NIODeadline, reply: EventLoopPromise<RedisReply>)>()
        private var timer: Scheduled<Void>?
        private var isClosed = false

        init(_ parser: RedisReplyParser, onClose: @escaping @Sendable () -> Void) {
            self.parser = parser
            self.onClose = onClose
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if isClosed {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            let exchange = unwrapOutboundIn(data)
            sent.append((context.eventLoop.now + exchange.timeout, exchange.reply))
            scheduleTimer(context)
            context.write(wrapOutboundOut(exchange.command), promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isClosed else { return }
            do throws(RedisFailure) {
                let replies = unsafe try unwrapInboundIn(data).withUnsafeReadableBytes { bytes throws(RedisFailure) in
                    unsafe try parser.replies(with: bytes)
                }
                // Replies that are out of step with the commands are not trusted.
                guard replies.count <= sent.count else { throw .malformed("a reply to no command") }
                for reply in replies { deliver(reply) }
            } catch {
                fail(error, context)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            fail(.disconnected("the connection was closed"), context)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(RedisFailure(error), context) }

        private func deliver(_ reply: RedisReply) {
            guard let command = sent.popFirst() else { return }
            // The reply to a login sends the first command, which has another limit.
            if sent.isEmpty { stopTimer() }
            if case .error(let error) = reply {
                command.reply.fail(RedisFailure.server(error))
            } else {
                command.reply.succeed(reply)
            }
        }

        private func scheduleTimer(_ context: ChannelHandlerContext) {
            guard timer == nil, let oldest = sent.first else { return }
            timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: oldest.deadline) {
                self.timer = nil
                if let oldest = self.sent.first, oldest.deadline <= context.eventLoop.now {
                    self.fail(.timedOut, context)
                } else {
                    self.scheduleTimer(context)
                }
            }
        }

        private func stopTimer() {
            timer?.cancel()
            timer = nil
        }

        private func fail(_ failure: RedisFailure, _ context: ChannelHandlerContext) {
            guard !isClosed else { return }
            isClosed = true
            stopTimer()
            onClose()
            for command in sent { command.reply.fail(failure) }
            sent.removeAll()
            context.close(promise: nil)
        }
    }

    extension RedisConnection.Settings {
        fileprivate func addHandlers(to channel: any Channel, _ onClose: @escaping @Sendable () -> Void) throws {
            if let tls {
                let handler = try NIOSSLClientHandler(context: tls, serverHostname: endpoint.serverName)
                try channel.pipeline.syncOperations.addHandler(handler)
            }
            guard let parser = RedisReplyParser(limits: limits) else {
                throw RedisFailure.malformed("there is no memory for a parser")
            }
            try channel.pipeline.syncOperations.addHandler(RedisCommandHandler(parser, onClose: onClose))
        }
    }

    extension RedisFailure {
        /// The failure for an error of SwiftNIO.
        fileprivate init(_ error: any Error) {
            if let failure = error as? RedisFailure {
                self = failure
            } else if case ChannelError.connectTimeout = error {
                self = .timedOut
            } else {
                self = .disconnected("\(error)")
            }
        }
    }

    extension RedisEndpoint {
        /// Nil for an IP address, which SNI doesn't allow (RFC 6066, section 3).
        fileprivate var serverName: String? {
            guard case .host(let host, _) = address else { return nil }
            return (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
        }

        /// At least one, so that a connection is only ready if the server replies.
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

    /// A command: its name and its arguments.
    struct RedisCommand: Sendable {
        private var arguments: [[UInt8]] = []

        init(_ words: String...) { for word in words { append(word) } }

        mutating func append(_ word: String) { append(Array(word.utf8)) }

        mutating func append(_ bytes: [UInt8]) { arguments.append(bytes) }

        /// The command in the format of the protocol (RESP2).
        var formatted: ByteBuffer {
            var buffer = ByteBuffer(string: "*\(arguments.count)\r\n")
            for argument in arguments {
                buffer.writeString("$\(argument.count)\r\n")
                buffer.writeBytes(argument)
                buffer.writeString("\r\n")
            }
            return buffer
        }
    }
#endif
