import Dispatch
import Synchronization

/// An HTTP/1.1 server on loopback, with a thread per connection.
public final class FeedServer: Sendable {
    /// The configuration of a server.
    public struct Configuration: Sendable {
        /// The port. 0 means any free port.
        public var port: UInt16 = 0
        /// The maximum number of concurrent connections. Other clients wait in the listening queue.
        public var connectionLimit = 512
        /// The latency, bandwidth and faults of requests that don't specify their own.
        public var defaults = NetworkDefaults()
        /// The timeouts and limits of each connection.
        public var limits = ConnectionLimits()

        /// Creates the default configuration.
        public init() {}
    }

    private struct State {
        var isStopped = false
        var connections: Set<Socket> = []
    }

    /// The port on which the server listens.
    public let port: UInt16
    private let listener: Socket
    private let site: Site
    private let configuration: Configuration
    private let clock: any ServerClock
    private let state = Mutex(State())
    private let connectionSlots: DispatchSemaphore
    private let threads = DispatchGroup()

    /// Starts to listen and to serve.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - site: The responses.
    ///   - clock: The source of dates and delays.
    /// - Throws: `SocketFailure` if the port is in use.
    public init(_ configuration: Configuration = Configuration(), site: Site, clock: any ServerClock = SystemClock())
        throws(SocketFailure)
    {
        self.configuration = configuration
        self.site = site
        self.clock = clock
        // Starts at 0 and is then raised, because libdispatch traps if a semaphore is released below its initial value.
        connectionSlots = DispatchSemaphore(value: 0)
        for _ in 0..<configuration.connectionLimit { connectionSlots.signal() }
        listener = try Socket.listener(port: configuration.port)
        port = listener.port
        startThread { self.acceptClients() }
    }

    /// Closes all connections. Returns when their threads have ended.
    public func stop() {
        let open = state.withLock { state -> [Socket] in
            defer { state.isStopped = true }
            return state.isStopped ? [] : [listener] + state.connections
        }
        for socket in open { socket.shutDown() }
        threads.wait()
    }

    private func acceptClients() {
        while true {
            connectionSlots.wait()
            guard let client = listener.nextClient(), register(client) else { break }
            if !startThread({ self.serve(client) }) {
                unregister(client)
                client.reset()
            }
        }
        listener.close()
    }

    /// Registers a connection. Closes it and returns false if the server is stopped.
    private func register(_ client: Socket) -> Bool {
        let isAccepted = state.withLock { state in
            if !state.isStopped { state.connections.insert(client) }
            return !state.isStopped
        }
        guard isAccepted else {
            client.close()
            return false
        }
        site.statistics.connectionOpened()
        return true
    }

    private func serve(_ client: Socket) {
        let connection = Connection(
            socket: client, site: site, defaults: configuration.defaults, clock: clock,
            limits: configuration.limits)
        let ending = connection.serve()
        unregister(client)
        switch ending {
        case .orderly: client.close()
        case .reset: client.reset()
        }
    }

    /// Unregisters a connection. Call it before closing the socket, because the system reuses the descriptors of closed
    /// sockets.
    private func unregister(_ client: Socket) {
        state.withLock { _ = $0.connections.remove(client) }
        site.statistics.connectionClosed()
        connectionSlots.signal()
    }

    @discardableResult
    private func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
        let threads = threads
        threads.enter()
        let isStarted = startDetachedThread {
            work()
            threads.leave()
        }
        if !isStarted { threads.leave() }
        return isStarted
    }
}
