#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A failed system call.
public struct SocketError: Error, CustomStringConvertible {
    /// A human-readable description: the call, and the system's error message.
    public let description: String

    init(_ call: String) { description = unsafe "\(call): \(String(cString: strerror(errno)))" }
}

/// A non-blocking TCP socket. Its owner must end it exactly once.
struct Socket: Sendable {
    enum Outcome { case done(Int), wouldBlock, over }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let sendFlags: Int32 = 0
    #endif

    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        setNonBlocking(descriptor)
        #if !canImport(Glibc)
            setOption(SO_NOSIGPIPE, 1)
        #endif
    }

    /// Binds a port on 127.0.0.1. Port 0 means any free port.
    init(port: UInt16, listens: Bool) throws {
        self.init(socket(AF_INET, Self.stream, 0))
        // A free port must stay this socket's own.
        if port != 0 { setOption(SO_REUSEADDR, 1) }
        let isBound = unsafe Self.withAddress(port) { unsafe bind(descriptor, $0, $1) == 0 }
        guard isBound, !listens || listen(descriptor, 512) == 0 else {
            defer { end() }
            throw SocketError("can't use port \(port)")
        }
        // A server of another program can then listen on the port, while the system gives it to nobody.
        if !listens { setOption(SO_REUSEADDR, 1) }
    }

    /// Begins to connect to a port on 127.0.0.1. Returns nil if there are too many sockets.
    init?(connectedTo port: UInt16) {
        self.init(socket(AF_INET, Self.stream, 0))
        let result = unsafe Self.withAddress(port) { unsafe connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            end()
            return nil
        }
        _ = wait(for: Int32(POLLOUT), or: [])
    }

    private static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    func nextClient() -> Socket? {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return nil }
        let socket = Socket(client)
        socket.setOption(TCP_NODELAY, 1, level: Int32(IPPROTO_TCP))
        return socket
    }

    func setSendBuffer(bytes: Int) { setOption(SO_SNDBUF, Int32(bytes)) }

    private func setOption(_ option: Int32, _ value: Int32, level: Int32 = SOL_SOCKET) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Makes `end` reset the connection.
    func resetAtEnd() {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    func end() { _ = close(descriptor) }

    /// Ends both directions. The socket must still be ended.
    func shutDown() { _ = shutdown(descriptor, 2) }

    func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        outcome(unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Self.sendFlags) })
    }

    func receive(into buffer: inout [UInt8]) -> Outcome {
        var piece = [UInt8](repeating: 0, count: 16384)
        let count = unsafe piece.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return count == 0 ? .over : outcome(count) }
        buffer += piece[..<count]
        return .done(count)
    }

    private func outcome(_ count: Int) -> Outcome {
        if count >= 0 { return .done(count) }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .over
    }

    /// Blocks this thread until the socket is ready, a signal lets a connection pass, or the time is over. Returns whether
    /// the peer has disconnected.
    ///
    /// - Parameters:
    ///   - events: `POLLIN`, `POLLOUT` or 0.
    ///   - signals: The signals.
    ///   - milliseconds: The time, or -1 for no limit.
    func wait(for events: Int32, or signals: [LoopbackSignal], milliseconds: Int32 = -1) -> Bool {
        let peerClosed = Int16(0x2000)  // POLLRDHUP; Darwin ignores it
        var entries = [pollfd(fd: descriptor, events: peerClosed | Int16(events), revents: 0)]
        entries += signals.map { pollfd(fd: $0.readEnd, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
        return entries[0].revents & (peerClosed | Int16(POLLHUP) | Int16(POLLERR)) != 0
    }
}

func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}
