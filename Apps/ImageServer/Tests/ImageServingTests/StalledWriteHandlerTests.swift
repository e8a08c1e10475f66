import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import ImageServerKit
@testable import ImageServing

@Suite("Closing the connections of clients that don't read")
struct StalledWriteHandlerTests {
    private let channel: EmbeddedChannel
    private let socket = HeldWrites()
    private let bodies = PendingBodies(limit: 3_000)

    init() throws {
        channel = EmbeddedChannel(handlers: [socket, StalledWriteHandler(limit: .seconds(10), bodies: bodies)])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func write(_ buffer: ByteBuffer = ByteBuffer(string: "a"), to other: EmbeddedChannel? = nil) {
        (other ?? channel).write(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
    }

    @Test("a write that makes no progress for the limit closes the connection")
    func stalled() {
        write()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(9_999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a response without a body is watched, too")
    func withoutBody() {
        let head = HTTPResponseHead(version: .http1_1, status: .noContent)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(!channel.isActive)
    }

    @Test("unread memory beyond the limit disconnects the slowest client, and shared memory counts once")
    func unreadBytes() throws {
        let other = EmbeddedChannel(handlers: [HeldWrites(), StalledWriteHandler(limit: .seconds(10), bodies: bodies)])
        try other.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 2)).wait()
        let shared = ByteBuffer(repeating: 1, count: 2_048)
        for _ in 0..<10 { write(shared) }
        #expect(bodies.byteCount == 2_048)
        for loop in [channel.embeddedEventLoop, other.embeddedEventLoop] { loop.advanceTime(by: .milliseconds(999)) }
        write(ByteBuffer(repeating: 2, count: 1_024), to: other)
        #expect(channel.isActive && other.isActive && bodies.byteCount == 3_072)
        for loop in [channel.embeddedEventLoop, other.embeddedEventLoop] { loop.advanceTime(by: .milliseconds(1)) }
        write(ByteBuffer(repeating: 3, count: 1_024), to: other)
        #expect(!channel.isActive && other.isActive && bodies.byteCount == 2_048)
    }

    @Test("all readers of a result share its memory, also above 16 MiB")
    func largeResults() {
        let data = (UInt8(0)..<200).reduce(into: Data()) { $0.append(Data(repeating: $1, count: 100_003)) }
        let metadata = ResultMetadata(
            format: "png", width: 1, height: 1, tag: "", originalDigest: "", storage: .shared, madeAt: .distantPast,
            freshUntil: .distantPast)
        let result = StoredResult(data: data, metadata: metadata)
        for range in [0..<data.count, (17 << 20)..<(19 << 20)] {
            let pieces = ServerResponse(status: 200, headers: [:], result, range).pieces
            for piece in pieces { bodies.add(piece, on: channel, at: .now()) }
            #expect(pieces.count > 10)
            #expect(pieces.reduce(into: Data()) { $0.append(contentsOf: $1.readableBytesView) } == data[range])
        }
        #expect(bodies.byteCount == result.buffer.storageCapacity)
    }

    @Test("a client that has read something lately isn't the slowest")
    func unreadProgress() throws {
        let other = EmbeddedChannel()
        try other.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 2)).wait()
        let pieces = (0..<4).map { ByteBuffer(repeating: UInt8($0), count: 1_024) }
        let start = NIODeadline.now()
        bodies.add(pieces[0], on: channel, at: start)
        bodies.add(pieces[1], on: channel, at: start)
        bodies.add(pieces[2], on: other, at: start + .milliseconds(500))
        bodies.remove(pieces[0], on: channel, at: start + .seconds(2))
        bodies.add(pieces[3], on: channel, at: start + .seconds(3))
        bodies.add(pieces[0], on: channel, at: start + .seconds(3))
        #expect(channel.isActive && !other.isActive)
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
    typealias OutboundIn = HTTPServerResponsePart

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
