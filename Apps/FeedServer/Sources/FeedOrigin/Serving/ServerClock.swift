#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The server's source of time. Tests replace it so that they don't wait.
public protocol ServerClock: Sendable {
    /// Blocks the calling thread for a duration. Returns false as soon as the peer of `socket` disconnects.
    func wait(_ duration: Duration, watching socket: Int32) -> Bool

    /// The current time, for the `Date` header.
    var date: HTTPDate { get }
}

/// The system's clock.
public struct SystemClock: ServerClock {
    /// Creates a clock.
    public init() {}

    /// Blocks the calling thread for a duration. Returns false as soon as the peer of `socket` disconnects.
    public func wait(_ duration: Duration, watching socket: Int32) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + duration
        while true {
            let left = (deadline - clock.now) / .milliseconds(1)
            guard left > 0 else { return true }
            if hasLeft(socket, milliseconds: Int32(max(1, min(left.rounded(.up), 60_000)))) { return false }
        }
    }

    /// The current time.
    public var date: HTTPDate { HTTPDate(secondsSince1970: time(nil)) }

    /// Waits until the peer closes its end of the connection. Returns false after the timeout, even if requests are
    /// pipelined.
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
