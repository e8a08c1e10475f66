// A raw-socket HTTP/1.1 server for tests. It says exactly the bytes a test wants said, misbehaves on purpose, and tells what
// it saw. It listens on 127.0.0.1 at a port the system picks; every connection has a thread of its own, so the cooperative
// pool is never blocked. It lives as long as the `LoopbackServer` value.
//
//     let held = LoopbackSignal()
//     let server = try LoopbackServer { request in
//         switch request.path {
//         case "/a.jpg": .ok(jpeg, headers: ["ETag": "\"1\""])
//         case "/held": .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .wait(held), .text("123456789")])
//         case "/cut": .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"), .close])
//         case "/reset": .steps([.reset])
//         case "/moved": .redirect(to: "/a.jpg")
//         default: .notFound
//         }
//     }
//     fetch(server.url("/held"))
//     await server.requests(1)      // suspends until a whole request head has been read
//     await held.arrivals(1)        // suspends until a connection waits at the signal
//     held.open()
//     await server.disconnects(1)   // suspends until a client closed a connection, idle or not
//     await server.abandonments(1)  // the same, but only while a response was under way
//     #expect(server.log.map(\.path) == ["/held"] && server.connectionCount == 1)
//
// A step list that ends without `.close` or `.reset` leaves the connection open for the next request.

public import Foundation
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that answers each request with a script, byte by byte.
public final class LoopbackServer: Sendable {
    /// The free port that the system picked.
    public let port: UInt16
    private let baseURL: URL
    private let core: ServerCore

    /// - Parameters:
    ///   - greeting: steps that run on every new connection before a request is read: say nothing, reset, talk nonsense.
    ///   - sendBufferBytes: the size of the socket's send buffer, so that a client that does not read is felt early.
    ///   - handler: called on the connection's thread for each request.
    public init(
        greeting: [LoopbackStep] = [], sendBufferBytes: Int? = nil,
        handler: @escaping @Sendable (LoopbackRequest) -> LoopbackReply = { _ in .notFound }
    ) throws {
        let listener = try Socket.listening()
        port = try listener.port()
        guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw SocketError(call: "URL", code: 0) }
        baseURL = url
        core = try ServerCore(
            listener: listener, greeting: greeting, sendBufferBytes: sendBufferBytes, handler: handler)
        core.start()
    }

    deinit { core.stop() }

    /// The address of a path here, with its query if it has one.
    public func url(_ path: String = "/") -> URL {
        URL(string: path, relativeTo: baseURL)?.absoluteURL ?? baseURL
    }

    /// Every request so far, in order of arrival.
    public var log: [LoopbackRequest] { core.log.withLock { $0 } }
    /// Whole requests read so far.
    public var requestCount: Int { core.requests.count }
    /// Connections accepted so far.
    public var connectionCount: Int { core.connections.count }
    /// Connections that a client ended.
    public var disconnectCount: Int { core.disconnects.count }
    /// Connections that a client ended while a response was under way.
    public var abandonmentCount: Int { core.abandonments.count }
    /// Bytes handed to the operating system on all connections.
    public var sentByteCount: Int { core.sentBytes.count }

    /// Returns when `count` whole requests have been read since the beginning.
    public func requests(_ count: Int) async { await core.requests.reaches(count) }
    /// Returns when `count` connections have been accepted since the beginning.
    public func connections(_ count: Int) async { await core.connections.reaches(count) }
    /// Returns when clients have ended `count` connections, idle or in the middle of a response.
    public func disconnects(_ count: Int) async { await core.disconnects.reaches(count) }
    /// Returns when clients have ended `count` connections while a response was under way.
    public func abandonments(_ count: Int) async { await core.abandonments.reaches(count) }
    /// Returns when `count` scripts have run to their end.
    public func completions(_ count: Int) async { await core.completions.reaches(count) }
    /// Returns when sending has met a full socket buffer `count` times: the client does not read as fast.
    public func holdbacks(_ count: Int) async { await core.holdbacks.reaches(count) }
    /// Returns when `count` bytes in all have been handed to the operating system.
    public func sentBytes(_ count: Int) async { await core.sentBytes.reaches(count) }

    /// Stops listening and closes every connection. Happens by itself when the server is released.
    public func stop() { core.stop() }
}

/// A port on 127.0.0.1 that refuses connections for as long as this value lives: bound, but nobody listens.
public final class RefusingPort: Sendable {
    /// The port that refuses.
    public let port: UInt16
    private let socket: Socket

    /// Takes a free port.
    public init() throws {
        socket = try Socket.bound()
        port = try socket.port()
    }
}

/// What outlives the server value while threads wind down.
final class ServerCore: Sendable {
    let log = Mutex<[LoopbackRequest]>([])
    let requests = Counter(), connections = Counter(), disconnects = Counter(), abandonments = Counter()
    let completions = Counter(), holdbacks = Counter(), sentBytes = Counter()
    let handler: @Sendable (LoopbackRequest) -> LoopbackReply
    private let listener: Socket
    private let greeting: [LoopbackStep]
    private let sendBufferBytes: Int?
    private let stopped = Mutex(false)
    private let wake: WakePipe
    private let wakes = Mutex<[Int: WakePipe]>([:])

    init(
        listener: Socket, greeting: [LoopbackStep], sendBufferBytes: Int?,
        handler: @escaping @Sendable (LoopbackRequest) -> LoopbackReply
    ) throws {
        self.listener = listener
        self.greeting = greeting
        self.sendBufferBytes = sendBufferBytes
        self.handler = handler
        wake = try WakePipe()
    }

    var isStopped: Bool { stopped.withLock { $0 } }

    func start() {
        Thread.detachNewThread { self.acceptLoop() }
    }

    func stop() {
        stopped.withLock { $0 = true }
        wake.signal()
        for wake in wakes.withLock({ Array($0.values) }) { wake.signal() }
    }

    private func acceptLoop() {
        var number = 0
        while !isStopped {
            guard let socket = listener.accept() else {
                _ = listener.wait(for: .readable, or: wake)
                continue
            }
            number += 1
            accept(socket, number: number)
        }
        listener.close()
    }

    private func accept(_ socket: Socket, number: Int) {
        guard let wake = try? WakePipe() else { return socket.close() }
        if let sendBufferBytes { socket.setSendBuffer(bytes: sendBufferBytes) }
        wakes.withLock { $0[number] = wake }
        if isStopped { wake.signal() }
        connections.add(1)
        let connection = Connection(core: self, socket: socket, wake: wake, number: number)
        Thread.detachNewThread {
            connection.run(greeting: self.greeting)
            self.wakes.withLock { $0[number] = nil }
        }
    }
}
