#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The routes of the network namespace of the thread that creates the instance.
final class NetlinkRoutes: RouteSource {
    /// RTMGRP_LINK, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_ROUTE.
    ///
    /// Links are included because the kernel doesn't announce IPv4 routes that it removes together with a link.
    private static let groups: UInt32 = 0x1 | 0x40 | 0x400

    /// Opened before the first request, so that no later change is missed.
    private let notifications: NetlinkSocket
    private let requests: NetlinkSocket
    private let (stopReader, stopWriter): (Int32, Int32)

    init() throws(ConnectivityFailure) {
        notifications = try NetlinkSocket(groups: Self.groups)
        requests = try NetlinkSocket()
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .systemError(call: "pipe", code: errno) }
        (stopReader, stopWriter) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(stopReader)
        close(stopWriter)
    }

    func hasDefaultRoute() throws(ConnectivityFailure) -> Bool {
        try RouteDump.consistent { () throws(ConnectivityFailure) in try dump() }.hasDefaultRoute
    }

    private func dump() throws(ConnectivityFailure) -> RouteDump {
        while try requests.receive() != nil {}  // responses to an earlier request that failed
        try requests.requestRoutes()
        var dump = RouteDump()
        while !dump.isComplete {
            guard let datagram = try requests.receive() else { throw .malformed("the response has no end") }
            try dump.parse(datagram)
        }
        return dump
    }

    func waitForChange() -> Bool {
        var polled = [notifications.file, stopReader].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&polled, nfds_t(polled.count), -1) < 0 {}  // interrupted by a signal
        if polled[1].revents != 0 { return false }
        discardNotifications()
        return true
    }

    /// Discards all pending notifications. The caller requests the routes again, so lost notifications don't matter.
    private func discardNotifications() {
        do throws(ConnectivityFailure) {
            while try notifications.receive() != nil {}
        } catch {
            // ENOBUFS: the socket's buffer overflowed. This also means that the routes may have changed.
        }
    }

    func stop() {
        // The buffer of the pipe holds more than one byte, so this neither blocks nor fails.
        _ = unsafe write(stopWriter, [1], 1)
    }
}
