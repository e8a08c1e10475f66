// A raw-socket HTTP/1.1 server for tests and for FeedServer. It sends exactly the bytes of a script, valid or not, and
// records requests. Each connection has its own thread, so the server doesn't block the cooperative pool.
//
//     let held = LoopbackSignal()
//     let server = try LoopbackServer { request in
//         switch request.path {
//         case "/a.jpg": .ok(jpeg, headers: ["ETag": "\"1\""])
//         case "/held": .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .wait(held), .text("123456789")])
//         case "/cut": .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"), .close])
//         default: .notFound
//         }
//     }
//     fetch(server.url("/held"))
//     await server.requests(1)      // suspends until a complete request has been read
//     await held.arrivals(1)        // suspends until a connection waits at the signal
//     held.open()
//     await server.abandonments(1)  // suspends until a client has closed a connection during a response
//
// A step list that ends without `.close` or `.reset` leaves the connection open for the next request.

public import Foundation
import ImageTesting

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An HTTP/1.1 server on 127.0.0.1 that answers each request with a script.
public final class LoopbackServer: Sendable {
    /// The port.
    public let port: UInt16
    private let baseURL: URL
    private let core: ServerCore

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port. 0 means a free port, chosen by the system.
    ///   - greeting: The steps on each new connection before a request is read, such as a reset or invalid data.
    ///   - sendBufferBytes: The size of the socket's send buffer. A small buffer fills early if the client doesn't
    ///     read.
    ///   - handler: Returns the reply to a request. Called on the connection's thread.
    public init(
        port: UInt16 = 0, greeting: [LoopbackStep] = [], sendBufferBytes: Int? = nil,
        handler: @escaping @Sendable (LoopbackRequest) -> LoopbackReply = { _ in .notFound }
    ) throws {
        let listener = try Socket(port: port, listens: true)
        self.port = listener.port
        guard let url = URL(string: "http://127.0.0.1:\(self.port)/") else { throw SocketError("URL") }
        baseURL = url
        core = ServerCore(listener: listener, greeting: greeting, sendBufferBytes: sendBufferBytes, handler: handler)
        Thread.detachNewThread { [core] in core.acceptClients() }
    }

    deinit { stop() }

    /// Returns the URL of a path on this server, which may include a query.
    public func url(_ path: String = "/") -> URL {
        URL(string: path, relativeTo: baseURL)?.absoluteURL ?? baseURL
    }

    private var counts: ServerCounts { core.counts.value }

    /// The first 10,000 requests, in order of arrival.
    public var log: [LoopbackRequest] { counts.log }
    /// The number of complete requests read so far.
    public var requestCount: Int { counts.requests }
    /// The number of connections accepted so far.
    public var connectionCount: Int { counts.connections }
    /// The number of connections closed by clients during a response.
    public var abandonmentCount: Int { counts.abandonments }
    /// The number of bytes written to all sockets.
    public var sentByteCount: Int { counts.sentBytes }

    /// Waits until `count` complete requests have been read in total.
    public func requests(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await core.counts.waitUntil({ $0.requests >= count }, file: file, line: line)
    }
    /// Waits until clients have closed `count` connections in total, idle or during a response.
    public func disconnects(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await core.counts.waitUntil({ $0.disconnects >= count }, file: file, line: line)
    }
    /// Waits until clients have closed `count` connections during a response.
    public func abandonments(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await core.counts.waitUntil({ $0.abandonments >= count }, file: file, line: line)
    }
    /// Waits until `count` scripts have completed.
    public func completions(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await core.counts.waitUntil({ $0.completions >= count }, file: file, line: line)
    }

    /// Stops listening and closes all connections. Called when the server is released.
    public func stop() { core.stopped.open() }
}

/// A port on 127.0.0.1 that refuses connections while this object exists: it is bound, but doesn't listen.
///
/// The system gives the port to nobody else. Only a server that asks for it by number, with `SO_REUSEADDR` as nginx and
/// Redis do, can listen on it.
public final class RefusingPort: Sendable {
    /// The port.
    public let port: UInt16
    private let socket: Socket

    /// Binds a free port.
    public init() throws {
        socket = try Socket(port: 0, listens: false)
        port = socket.port
    }

    deinit { socket.end() }
}

/// What a server has counted.
struct ServerCounts: Sendable {
    var log: [LoopbackRequest] = []
    var requests = 0
    var connections = 0
    var disconnects = 0
    var abandonments = 0
    var completions = 0
    var sentBytes = 0
}

/// What the connection threads share. Outlives the server until the threads end.
struct ServerCore: Sendable {
    let counts = Watched(ServerCounts())
    let stopped = LoopbackSignal()
    let listener: Socket
    let greeting: [LoopbackStep]
    let sendBufferBytes: Int?
    let handler: @Sendable (LoopbackRequest) -> LoopbackReply

    var isStopped: Bool { stopped.isOpen }

    func acceptClients() {
        while !isStopped {
            guard let socket = listener.nextClient() else {
                _ = listener.wait(for: Int32(POLLIN), or: [stopped])
                continue
            }
            if let sendBufferBytes { socket.setSendBuffer(bytes: sendBufferBytes) }
            let number = counts.change { counts in
                counts.connections += 1
                return counts.connections
            }
            let connection = Connection(core: self, socket: socket, number: number)
            Thread.detachNewThread { connection.run() }
        }
        listener.end()
    }
}
