#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An error that prevents the server from starting.
public struct SocketFailure: Error, CustomStringConvertible {
    /// The failed operation and the system's error message.
    public let description: String

    init(_ action: String, code: Int32 = errno) {
        description = unsafe "\(action): \(String(cString: strerror(code)))"
    }
}

/// A TCP socket. Its owner must close it exactly once.
struct Socket: Hashable, Sendable {
    let descriptor: Int32

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
        private static let both = Int32(SHUT_RDWR)
    #else
        private static let stream = SOCK_STREAM
        private static let sendFlags: Int32 = 0
        private static let both = SHUT_RDWR
    #endif

    /// Creates a socket that listens on 127.0.0.1. Port 0 means any free port.
    static func listener(port: UInt16) throws(SocketFailure) -> Socket {
        let socket = Socket(descriptor: Self.open())
        guard socket.descriptor >= 0 else { throw SocketFailure("socket") }
        socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
        var address = loopback(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket.descriptor, $0, size)
            }
        }
        guard isBound == 0, listen(socket.descriptor, 1024) == 0 else {
            let failure = SocketFailure("can't listen on 127.0.0.1:\(port)")
            socket.close()
            throw failure
        }
        return socket
    }

    private static func open() -> Int32 { socket(AF_INET, stream, 0) }

    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
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

    /// Waits for the next client. Returns nil if the listener is shut down or has failed.
    func nextClient() -> Socket? {
        while true {
            let client = accept(descriptor, nil, nil)
            if client >= 0 {
                let socket = Socket(descriptor: client)
                socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
                #if !canImport(Glibc)
                    socket.set(SOL_SOCKET, SO_NOSIGPIPE, 1)
                #endif
                return socket
            }
            guard errno == EINTR || errno == ECONNABORTED || errno == EMFILE || errno == ENFILE else { return nil }
            if errno == EMFILE || errno == ENFILE { usleep(10_000) }  // waits until another descriptor is closed
        }
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sets the maximum time that a receive or send call blocks.
    func setTimeouts(receive: Duration, send: Duration) {
        for (option, duration) in [(SO_RCVTIMEO, receive), (SO_SNDTIMEO, send)] {
            var time = timeval()
            time.tv_sec = numericCast(duration.components.seconds)
            time.tv_usec = numericCast(duration.components.attoseconds / 1_000_000_000_000)
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Fills a part of `buffer`. Returns the number of bytes, 0 if the peer has finished, or nil on an error or a
    /// timeout.
    func receive(into buffer: inout [UInt8]) -> Int? {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count >= 0 { return count }
            if errno != EINTR { return nil }
        }
    }

    /// Sends head and body, if possible with one system call. Returns the number of bytes sent, which is lower on an
    /// error.
    func send(_ head: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>) -> Int {
        unsafe head.withUnsafeBytes { head in
            unsafe body.withUnsafeBytes { body in
                var sent = 0
                while sent < head.count + body.count {
                    let first = unsafe UnsafeRawBufferPointer(rebasing: head.dropFirst(sent))
                    let second = unsafe UnsafeRawBufferPointer(rebasing: body.dropFirst(max(0, sent - head.count)))
                    let count = unsafe sendOnce(first, second)
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { break }
                    sent += count
                }
                return sent
            }
        }
    }

    private func sendOnce(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        let parts = unsafe [
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count),
        ].filter { unsafe $0.iov_len > 0 }
        return unsafe parts.withUnsafeBufferPointer { parts in
            var message = unsafe msghdr()
            unsafe message.msg_iov = UnsafeMutablePointer(mutating: parts.baseAddress)
            unsafe message.msg_iovlen = numericCast(parts.count)
            return unsafe sendmsg(descriptor, &message, Self.sendFlags)
        }
    }

    /// Wakes threads that block on the socket. You must still close it.
    func shutDown() { _ = shutdown(descriptor, Self.both) }

    /// Shuts down the sending side and discards further input. Otherwise closing could reset the connection before the
    /// peer has received everything.
    func finish() {
        #if canImport(Glibc)
            _ = shutdown(descriptor, Int32(SHUT_WR))
        #else
            _ = shutdown(descriptor, SHUT_WR)
        #endif
        setTimeouts(receive: .milliseconds(500), send: .milliseconds(500))
        var rest = [UInt8](repeating: 0, count: 4096)
        var left = 64
        while left > 0, let count = receive(into: &rest), count > 0 { left -= 1 }
    }

    func close() {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    /// Closes the connection with a reset. The peer loses data that it has not read yet.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}
