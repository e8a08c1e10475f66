import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A failed system call.
public struct SocketError: Error, CustomStringConvertible {
    /// The name of the system call.
    public var call: String
    /// The value of errno.
    public var code: Int32

    /// A human-readable description.
    public var description: String { "\(call): error \(code)" }
}

/// A non-blocking TCP socket. It is closed at the latest when it is released.
final class Socket: Sendable {
    enum Interest { case readable, writable, hangup }
    enum Result: Equatable { case done(Int), wouldBlock, over }

    private let descriptor: Int32
    private let isClosed = Mutex(false)

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        setNonBlocking(descriptor)
        #if !canImport(Glibc)
            setOption(SO_NOSIGPIPE, 1)
        #endif
    }

    deinit { close() }

    static func bound() throws -> Socket {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw SocketError(call: "socket", code: errno) }
        let made = Socket(descriptor: descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SocketError(call: "bind", code: errno) }
        return made
    }

    static func listening() throws -> Socket {
        let socket = try bound()
        guard listen(socket.descriptor, 512) == 0 else { throw SocketError(call: "listen", code: errno) }
        return socket
    }

    func port() throws -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        guard result == 0 else { throw SocketError(call: "getsockname", code: errno) }
        return UInt16(bigEndian: address.sin_port)
    }

    func accept() -> Socket? {
        #if canImport(Glibc)
            let client = Glibc.accept(descriptor, nil, nil)
        #else
            let client = Darwin.accept(descriptor, nil, nil)
        #endif
        guard client >= 0 else { return nil }
        let socket = Socket(descriptor: client)
        socket.setOption(TCP_NODELAY, 1, level: Int32(IPPROTO_TCP))
        return socket
    }

    func setSendBuffer(bytes: Int) { setOption(SO_SNDBUF, Int32(bytes)) }

    func resetOnClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { closeDescriptor(descriptor) }
    }

    func send(_ bytes: ArraySlice<UInt8>) -> Result {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
        #else
            let count = unsafe bytes.withUnsafeBytes { unsafe Darwin.send(descriptor, $0.baseAddress, $0.count, 0) }
        #endif
        return outcome(count)
    }

    func receive(into buffer: inout [UInt8]) -> Result {
        var piece = [UInt8](repeating: 0, count: 16384)
        let count = unsafe piece.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        let result = outcome(count)
        if count == 0 { return .over }
        if case .done(let count) = result { buffer += piece[..<count] }
        return result
    }

    /// Blocks this thread until the socket is ready or `wake` is signalled. Returns true if the peer has disconnected.
    func wait(for interest: Interest, or wake: WakePipe) -> Bool {
        let peerClosed = Int16(0x2000)  // POLLRDHUP; Darwin ignores it
        var events = peerClosed
        if interest == .readable { events |= Int16(POLLIN) }
        if interest == .writable { events |= Int16(POLLOUT) }
        var entries = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&entries, nfds_t(entries.count), -1)
        if entries[1].revents != 0 { wake.drain() }
        return entries[0].revents & (peerClosed | Int16(POLLHUP) | Int16(POLLERR)) != 0
    }

    private func outcome(_ count: Int) -> Result {
        if count >= 0 { return .done(count) }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .over
    }

    private func setOption(_ option: Int32, _ value: Int32, level: Int32 = SOL_SOCKET) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// Wakes a thread that waits in `poll`.
final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw SocketError(call: "pipe", code: errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        setNonBlocking(readEnd)
        setNonBlocking(writeEnd)
    }

    deinit {
        closeDescriptor(readEnd)
        closeDescriptor(writeEnd)
    }

    func signal() {
        let byte: [UInt8] = [1]
        _ = unsafe write(writeEnd, byte, 1)
    }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(readEnd, &bytes, bytes.count) > 0 {}
    }
}

private func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

private func closeDescriptor(_ descriptor: Int32) {
    #if canImport(Glibc)
        _ = Glibc.close(descriptor)
    #else
        _ = Darwin.close(descriptor)
    #endif
}
