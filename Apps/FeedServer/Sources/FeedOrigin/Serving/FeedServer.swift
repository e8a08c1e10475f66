import Dispatch
import Synchronization

/// An HTTP/1.1 origin on loopback with a thread for each connection, up to a bound.
public final class FeedServer: Sendable {
    public struct Configuration: Sendable {
        /// 0 for any free port.
        public var port: UInt16 = 0
        /// Clients beyond it wait in the listening queue.
        public var connectionLimit = 512
        public var switches = Switches()
        public var patience = Patience()

        public init() {}
    }

    private struct State {
        var isStopped = false
        var connections: Set<Socket> = []
    }

    public let port: UInt16
    private let listener: Socket
    private let site: Site
    private let configuration: Configuration
    private let pacing: any Pacing
    private let state = Mutex(State())
    private let places: DispatchSemaphore
    private let threads = DispatchGroup()

    /// Listens and serves from now on, until `stop`.
    public init(_ configuration: Configuration = Configuration(), site: Site, pacing: any Pacing = RealPacing())
        throws(SocketFailure)
    {
        self.configuration = configuration
        self.site = site
        self.pacing = pacing
        // Begun at 0 and raised: libdispatch traps when a semaphore ends below the value that it began with.
        places = DispatchSemaphore(value: 0)
        for _ in 0..<configuration.connectionLimit { places.signal() }
        listener = try Socket.listener(port: configuration.port)
        port = listener.port
        startThread { self.acceptClients() }
    }

    /// Closes all connections and returns when their threads have ended.
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
            places.wait()
            guard let client = listener.nextClient(), admit(client) else { break }
            if !startThread({ self.serve(client) }) {
                leave(client)
                client.reset()
            }
        }
        listener.close()
    }

    private func admit(_ client: Socket) -> Bool {
        let isWelcome = state.withLock { state in
            if !state.isStopped { state.connections.insert(client) }
            return !state.isStopped
        }
        guard isWelcome else {
            client.close()
            return false
        }
        site.statistics.connectionOpened()
        return true
    }

    private func serve(_ client: Socket) {
        let connection = Connection(
            socket: client, site: site, switches: configuration.switches, pacing: pacing,
            patience: configuration.patience)
        let ending = connection.serve()
        leave(client)
        switch ending {
        case .orderly: client.close()
        case .reset: client.reset()
        }
    }

    /// Forgets a client before its socket is closed: the number of a closed socket is soon another's.
    private func leave(_ client: Socket) {
        state.withLock { _ = $0.connections.remove(client) }
        site.statistics.connectionClosed()
        places.signal()
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
