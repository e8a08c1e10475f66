#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A socket for requests to the kernel's routing tables (netlink(7)). It is closed when it is deinitialized.
final class NetlinkSocket: Sendable {
    private enum Constant {
        /// AF_NETLINK, SOCK_RAW, NETLINK_ROUTE.
        static let (family, type, protocolNumber): (UInt16, Int32, Int32) = (16, 3, 0)
        /// RTM_GETROUTE; NLM_F_REQUEST with NLM_F_DUMP.
        static let (getRoute, requestDump): (UInt16, UInt16) = (26, 0x301)
    }

    /// The buffer size in bytes. The kernel's datagrams are smaller.
    private static let bufferSize = 1 << 16

    let file: Int32

    /// - Parameter groups: The notifications to subscribe to, as RTMGRP_ values of rtnetlink(7).
    init(groups: UInt32 = 0) throws(ConnectivityFailure) {
        file = socket(Int32(Constant.family), Constant.type, Constant.protocolNumber)
        guard file >= 0 else { throw .systemError(call: "socket", code: errno) }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        // struct sockaddr_nl: family, padding, port (the kernel chooses), groups.
        let address = bytes(Constant.family) + bytes(UInt16(0)) + bytes(UInt32(0)) + bytes(groups)
        let result = unsafe address.withUnsafeBytes { address in
            unsafe address.withMemoryRebound(to: sockaddr.self) { unsafe bind(file, $0.baseAddress, 12) }
        }
        guard result == 0 else {
            let code = errno
            close(file)
            throw .systemError(call: "bind", code: code)
        }
    }

    deinit { close(file) }

    /// Requests all routes of all address families. `receive` returns the response in several datagrams.
    func requestRoutes() throws(ConnectivityFailure) {
        // struct nlmsghdr (length, type, flags, sequence, port), then a struct rtmsg of zeros.
        let request =
            bytes(UInt32(28)) + bytes(Constant.getRoute) + bytes(Constant.requestDump) + bytes(UInt32(0))
            + bytes(UInt32(0))
            + [UInt8](repeating: 0, count: 12)
        let sent = unsafe send(file, request, request.count, 0)
        guard sent == request.count else { throw .systemError(call: "send", code: errno) }
    }

    /// Returns the next datagram without blocking. Returns nil if there is none.
    func receive() throws(ConnectivityFailure) -> [UInt8]? {
        var code: Int32 = 0
        let datagram = unsafe [UInt8](unsafeUninitializedCapacity: Self.bufferSize) { buffer, count in
            var received = -1
            repeat {
                received = unsafe recv(file, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            } while received < 0 && errno == EINTR
            if received < 0 { code = errno }
            count = max(0, received)
        }
        if code == EAGAIN { return nil }
        guard code == 0 else { throw .systemError(call: "recv", code: code) }
        return datagram
    }
}

/// Returns the bytes of a number in the host's byte order.
private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
}
