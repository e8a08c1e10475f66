#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The routes of the network namespace of the thread that made it.
final class NetlinkRoutes: RouteSource {
    /// RTMGRP_LINK, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_ROUTE. Links too: routes that go with a link of IPv4 go without a word of their own.
    private static let groups: UInt32 = 0x1 | 0x40 | 0x400

    /// Opened before the first question, so that no change after it is missed.
    private let news: NetlinkSocket
    private let questions: NetlinkSocket
    private let (endReader, endWriter): (Int32, Int32)

    init() throws(ConnectivityFailure) {
        news = try NetlinkSocket(groups: Self.groups)
        questions = try NetlinkSocket()
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .refused(call: "pipe", code: errno) }
        (endReader, endWriter) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(endReader)
        close(endWriter)
    }

    func hasDefaultRoute() throws(ConnectivityFailure) -> Bool {
        try RouteDump.ofOneMoment { () throws(ConnectivityFailure) in try dump() }.hasDefaultRoute
    }

    private func dump() throws(ConnectivityFailure) -> RouteDump {
        while try questions.receive() != nil {}  // of a question that failed
        try questions.askForRoutes()
        var dump = RouteDump()
        while !dump.isComplete {
            guard let datagram = try questions.receive() else { throw .malformed("no end") }
            try dump.take(datagram)
        }
        return dump
    }

    func waitForChange() -> Bool {
        var polled = [news.file, endReader].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&polled, nfds_t(polled.count), -1) < 0 {}  // a signal
        if polled[1].revents != 0 { return false }
        forgetNews()
        return true
    }

    /// What the news says is asked for anew, so it does not matter that some may have been lost.
    private func forgetNews() {
        do throws(ConnectivityFailure) {
            while try news.receive() != nil {}
        } catch {
            // ENOBUFS: there was more than the socket holds. That is news, too.
        }
    }

    func end() {
        // The pipe holds far more than the one byte, so this neither waits nor fails.
        _ = unsafe write(endWriter, [1], 1)
    }
}
