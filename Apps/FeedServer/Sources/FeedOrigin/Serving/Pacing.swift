#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where the server meets time: latency, bandwidth and patience go through here, so that tests need no time.
public protocol Pacing: Sendable {
    /// Waits, blocking the calling thread. Returns false as soon as the peer of `socket` has gone.
    func wait(_ duration: Duration, watching socket: Int32) -> Bool

    /// Whole seconds since 1970, for `Date`.
    var date: HTTPDate { get }
}

/// Real time.
public struct RealPacing: Pacing {
    public init() {}

    public func wait(_ duration: Duration, watching socket: Int32) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + duration
        while true {
            let left = (deadline - clock.now) / .milliseconds(1)
            guard left > 0 else { return true }
            if hasLeft(socket, milliseconds: Int32(max(1, min(left.rounded(.up), 60_000)))) { return false }
        }
    }

    public var date: HTTPDate { HTTPDate(secondsSince1970: time(nil)) }

    /// Waits for the peer's end of the connection to close. Requests that wait in the pipeline don't count as leaving.
    private func hasLeft(_ socket: Int32, milliseconds: Int32) -> Bool {
        #if canImport(Glibc)
            let closing = Int16(0x2000)  // POLLRDHUP
        #else
            let closing = Int16(0)
        #endif
        var entry = pollfd(fd: socket, events: closing, revents: 0)
        let found = unsafe poll(&entry, 1, milliseconds)
        return found > 0 && Int32(entry.revents) & (Int32(closing) | POLLHUP | POLLERR | POLLNVAL) != 0
    }
}
