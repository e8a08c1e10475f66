import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import ImageServing

@Suite("Closing the connections of clients that don't read")
struct StalledWriteHandlerTests {
    private let channel: EmbeddedChannel
    private let socket = HeldWrites()

    init() throws {
        channel = EmbeddedChannel(handlers: [socket, StalledWriteHandler(limit: .seconds(10))])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func write() { channel.write(HTTPResponsePart.body(ByteBuffer(string: "a")), promise: nil) }

    @Test("a write that makes no progress for the limit closes the connection")
    func stalled() {
        write()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(9_999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("each completed write starts the limit again")
    func progress() {
        write()
        write()
        channel.embeddedEventLoop.advanceTime(by: .seconds(6))
        socket.completeOne()
        channel.embeddedEventLoop.advanceTime(by: .seconds(6))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(!channel.isActive)
    }

    @Test("an idle connection stays open")
    func idle() throws {
        write()
        socket.completeOne()
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        _ = try channel.finish()
    }
}

/// Holds writes, as a socket does whose client reads nothing.
private final class HeldWrites: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart

    private var promises: [EventLoopPromise<Void>] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let promise { promises.append(promise) }
    }

    /// Completes the oldest write.
    func completeOne() { promises.removeFirst().succeed() }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
        promises = []
        context.close(mode: mode, promise: promise)
    }
}

@available(*, unavailable)
extension HeldWrites: Sendable {}
