import Foundation
import ImageTesting
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Passes the bytes of connections on to another server, until it is silenced: as if the way to the server had vanished.
public final class LoopbackRelay: Sendable {
    /// The port on 127.0.0.1.
    public let port: UInt16
    private let core: RelayCore

    /// Starts a relay to a port on 127.0.0.1.
    public init(to target: UInt16) throws {
        core = RelayCore(listener: try Socket(port: 0, listens: true), target: target)
        port = core.listener.port
        Thread.detachNewThread { [core] in core.acceptClients() }
    }

    deinit { core.stopped.open() }

    /// The number of connections so far.
    public var connectionCount: Int { core.connections.value }

    /// Passes on nothing more on the connections so far, and keeps them open.
    public func silence() { core.silenced.withLock { $0 = core.connections.value } }
}

private final class RelayCore: Sendable {
    let listener: Socket
    let target: UInt16
    let connections = Watched(0)
    /// The number of the last silent connection.
    let silenced = Mutex(0)
    let stopped = LoopbackSignal()

    init(listener: Socket, target: UInt16) {
        self.listener = listener
        self.target = target
    }

    func acceptClients() {
        while !stopped.isOpen {
            guard let client = listener.nextClient() else {
                _ = listener.wait(for: Int32(POLLIN), or: [stopped])
                continue
            }
            guard let server = Socket(connectedTo: target) else {
                client.end()
                continue
            }
            let number = connections.change { count in
                count += 1
                return count
            }
            // The sockets are closed when both directions have ended.
            let open = Mutex(2)
            for (source, sink) in [(client, server), (server, client)] {
                Thread.detachNewThread { [self] in
                    pass(source, to: sink, number)
                    guard
                        open.withLock({
                            $0 -= 1; return $0 == 0
                        })
                    else { return }
                    source.end()
                    sink.end()
                }
            }
        }
        listener.end()
    }

    private func pass(_ source: Socket, to sink: Socket, _ number: Int) {
        defer { sink.shutDown() }
        while !stopped.isOpen {
            var bytes: [UInt8] = []
            switch source.receive(into: &bytes) {
            case .done where silenced.withLock({ number <= $0 }): break
            case .done: guard send(bytes, to: sink) else { return }
            case .wouldBlock: _ = source.wait(for: Int32(POLLIN), or: [stopped])
            case .over: return
            }
        }
    }

    private func send(_ bytes: [UInt8], to sink: Socket) -> Bool {
        var sent = 0
        while sent < bytes.count, !stopped.isOpen {
            switch sink.write(bytes[sent...]) {
            case .done(let count): sent += count
            case .wouldBlock: _ = sink.wait(for: Int32(POLLOUT), or: [stopped])
            case .over: return false
            }
        }
        return true
    }
}
