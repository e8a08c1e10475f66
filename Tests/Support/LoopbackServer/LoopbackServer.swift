// A raw-socket HTTP/1.1 server for tests. It sends exactly the bytes of the test's script, valid or not, and records
// requests. It listens on 127.0.0.1 at a free port. Each connection has its own thread, so the server doesn't block the
// cooperative pool. The server stops when the `LoopbackServer` object is released.
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
//     await server.requests(1)      // suspends until a complete request has been read
//     await held.arrivals(1)        // suspends until a connection waits at the signal
//     held.open()
//     await server.disconnects(1)   // suspends until a client has closed a connection, idle or not
//     await server.abandonments(1)  // the same, but only during a response
//     #expect(server.log.map(\.path) == ["/held"] && server.connectionCount == 1)
//
// A step list that ends without `.close` or `.reset` leaves the connection open for the next request.

public import Foundation
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that answers each request with a script.
public final class LoopbackServer: Sendable {
    /// The port, chosen by the system.
    public let port: UInt16
    private let baseURL: URL
    private let core: ServerCore

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - greeting: The steps on each new connection before a request is read, such as a reset or invalid data.
    ///   - sendBufferBytes: The size of the socket's send buffer. A small buffer fills early if the client doesn't
    ///     read.
    ///   - handler: Returns the reply to a request. Called on the connection's thread.
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

    /// Returns the URL of a path on this server, which may include a query.
    public func url(_ path: String = "/") -> URL {
        URL(string: path, relativeTo: baseURL)?.absoluteURL ?? baseURL
    }

    /// All requests so far, in order of arrival.
    public var log: [LoopbackRequest] { core.log.withLock { $0 } }
    /// The number of complete requests read so far.
    public var requestCount: Int { core.requests.count }
    /// The number of connections accepted so far.
    public var connectionCount: Int { core.connections.count }
    /// The number of connections closed by clients.
    public var disconnectCount: Int { core.disconnects.count }
    /// The number of connections closed by clients during a response.
    public var abandonmentCount: Int { core.abandonments.count }
    /// The number of bytes written to all sockets.
    public var sentByteCount: Int { core.sentBytes.count }

    /// Waits until `count` complete requests have been read in total.
    public func requests(_ count: Int) async { await core.requests.reaches(count) }
    /// Waits until `count` connections have been accepted in total.
    public func connections(_ count: Int) async { await core.connections.reaches(count) }
    /// Waits until clients have closed `count` connections in total, idle or during a response.
    public func disconnects(_ count: Int) async { await core.disconnects.reaches(count) }
    /// Waits until clients have closed `count` connections during a response.
    public func abandonments(_ count: Int) async { await core.abandonments.reaches(count) }
    /// Waits until `count` scripts have completed.
    public func completions(_ count: Int) async { await core.completions.reaches(count) }
    /// Waits until the socket buffer was full `count` times, because the client reads too slowly.
    public func blockedSends(_ count: Int) async { await core.blockedSends.reaches(count) }
    /// Waits until `count` bytes have been written in total.
    public func sentBytes(_ count: Int) async { await core.sentBytes.reaches(count) }

    /// Stops listening and closes all connections. Called when the server is released.
    public func stop() { core.stop() }
}

/// A port on 127.0.0.1 that refuses connections while this object exists: it is bound, but doesn't listen.
public final class RefusingPort: Sendable {
    /// The port.
    public let port: UInt16
    private let socket: Socket

    /// Binds a free port.
    public init() throws {
        socket = try Socket.bound()
        port = try socket.port()
    }
}

/// The state that the connection threads share. Outlives the server until the threads end.
final class ServerCore: Sendable {
    let log = Mutex<[LoopbackRequest]>([])
    let requests = Counter(), connections = Counter(), disconnects = Counter(), abandonments = Counter()
    let completions = Counter(), blockedSends = Counter(), sentBytes = Counter()
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
