#if RedisCaching
    import Foundation
    import ImageTesting
    import NIOCore
    import NIOPosix
    import Synchronization
    import Testing

    @testable import ImageRedisCaching

    /// A server in this process that replies as a test says.
    final class FakeRedisServer: Sendable {
        /// What the server does with a command.
        enum Reaction: Sendable {
            /// Sends this text.
            case reply(String)
            /// Sends these bytes.
            case bytes([UInt8])
            /// Sends the text in pieces, each in a turn of its own.
            case pieces([String])
            /// Sends the text and closes the connection.
            case replyAndClose(String)
            case silence
        }

        /// The reactions to commands, which a test can change, and what was received.
        final class Script: Sendable {
            let commands = Watched<[[String]]>([])
            let connectionCount = Watched(0)
            let closedCount = Watched(0)
            private let reaction: Mutex<@Sendable ([String]) -> Reaction>

            init(_ reaction: @escaping @Sendable ([String]) -> Reaction) { self.reaction = Mutex(reaction) }

            func change(_ reaction: @escaping @Sendable ([String]) -> Reaction) {
                self.reaction.withLock { $0 = reaction }
            }

            func reaction(to command: [String]) -> Reaction {
                commands.change { $0.append(command) }
                return reaction.withLock { $0 }(command)
            }
        }

        let script: Script
        private let port: Int
        private let group: MultiThreadedEventLoopGroup

        /// Starts a server. `reaction` returns the reaction to a command and its arguments.
        init(_ reaction: @escaping @Sendable ([String]) -> Reaction) async throws {
            let (script, group) = (Script(reaction), MultiThreadedEventLoopGroup(numberOfThreads: 1))
            let channel = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(FakeServerHandler(script))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            self.script = script
            self.group = group
            port = try #require(channel.localAddress?.port)
        }

        deinit { group.shutdownGracefully { _ in } }

        /// The names of the received commands, without the `PING` of each connection.
        var commandNames: [String] { script.commands.value.map { $0[0] }.filter { $0 != "PING" } }

        /// Creates a cache whose timeouts a busy machine doesn't reach, unless `configure` changes them.
        func makeCache(
            user: String = "", path: String = "", clock: ManualClock = ManualClock(),
            configure: (inout RedisCacheOptions) -> Void = { _ in }
        ) throws -> RedisDataCache {
            var options = RedisCacheOptions()
            options.connectTimeout = .seconds(60)
            options.commandTimeout = .seconds(60)
            configure(&options)
            let url = try #require(URL(string: "redis://\(user)127.0.0.1:\(port)\(path)"))
            return try RedisDataCache(url: url, options: options, clock: clock)
        }
    }

    /// Parses commands, which have the format of replies, and reacts to them.
    private final class FakeServerHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let script: FakeRedisServer.Script
        private let parser = RedisReplyParser(limits: .init(bulkBytes: 64 << 20))

        init(_ script: FakeRedisServer.Script) { self.script = script }

        func channelActive(context: ChannelHandlerContext) { script.connectionCount.change { $0 += 1 } }

        func channelInactive(context: ChannelHandlerContext) { script.closedCount.change { $0 += 1 } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            let replies = unsafe bytes.withUnsafeReadableBytes { unsafe try? parser?.replies(with: $0) } ?? []
            for case .array(let words) in replies { react(to: words.map { $0.text ?? "" }, context: context) }
        }

        private func react(to command: [String], context: ChannelHandlerContext) {
            switch script.reaction(to: command) {
            case .reply(let text): context.writeAndFlush(bytes(text), promise: nil)
            case .bytes(let bytes): context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            case .pieces(let pieces): send(pieces[...], context: context)
            case .replyAndClose(let text):
                context.writeAndFlush(bytes(text)).assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            case .silence: break
            }
        }

        /// Sends each piece in its own turn of the loop.
        private func send(_ pieces: ArraySlice<String>, context: ChannelHandlerContext) {
            guard let first = pieces.first else { return }
            context.writeAndFlush(bytes(first)).assumeIsolated().whenSuccess {
                self.send(pieces.dropFirst(), context: context)
            }
        }

        private func bytes(_ text: String) -> NIOAny { NIOAny(ByteBuffer(string: text)) }
    }

    extension String {
        /// The text as a bulk string.
        var bulk: String { "$\(utf8.count)\r\n\(self)\r\n" }
    }
#endif
