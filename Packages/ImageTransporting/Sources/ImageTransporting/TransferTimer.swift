import ImageCore

/// Detects stalls, slow transfers and exceeded deadlines, in monotonic milliseconds. Pure.
///
/// A stall is measured from the first check at which the consumer waits, so it is detected late, but never early.
package struct TransferTimer {
    private let stallLimit: Int64
    private let deadline: Int64
    /// The number of bytes that must arrive in a window of `stallLimit`.
    private let minBytes: Int64
    private var stallStart: Int64?
    private var window = Window()

    /// The bytes since the first one, and the time since then in which the consumer waited.
    private struct Window {
        var bytes: Int64 = 0
        var waited: Int64 = 0
        var lastWait: Int64?
    }

    package init(stallLimit: Int64, deadline: Int64, minBytesPerSecond: Int = 0) {
        self.stallLimit = stallLimit
        self.deadline = deadline
        minBytes = Int64(min(max(0, minBytesPerSecond), Int(Int32.max))) * stallLimit / 1000
    }

    package init(_ request: TransportRequest, deadline: Int64) {
        self.init(
            stallLimit: request.stallTimeout.wholeMilliseconds, deadline: deadline,
            minBytesPerSecond: request.minBytesPerSecond)
    }

    /// Returns the time of the next check: after a quarter of the limit, a second, or at the deadline.
    package func nextCheck(after now: Int64) -> Int64 {
        min(deadline, now + min(1000, max(1, stallLimit / 4)))
    }

    /// Restarts the measurement of a stall.
    package mutating func bytesArrived(_ count: Int) {
        stallStart = nil
        window.bytes += Int64(count)
    }

    /// Restarts the measurement of the rate.
    package mutating func headArrived() { window = Window() }

    package enum Expiry { case stalled, overdue }

    /// Returns how the transfer has expired: a slow transfer like one that has stalled. `isWaiting` says whether the
    /// consumer waits for bytes from the server.
    package mutating func expiry(isWaiting: Bool, now: Int64) -> Expiry? {
        if now >= deadline { return .overdue }
        guard isWaiting else {
            stallStart = nil
            window.lastWait = nil
            return nil
        }
        let since = stallStart ?? now
        stallStart = since
        return now - since >= stallLimit || isSlow(now) ? .stalled : nil
    }

    private mutating func isSlow(_ now: Int64) -> Bool {
        guard window.bytes > 0 else { return false }
        window.waited += now - (window.lastWait ?? now)
        window.lastWait = now
        guard window.waited >= stallLimit else { return false }
        defer { window = Window() }
        return window.bytes < minBytes
    }
}

extension Duration {
    /// The duration in milliseconds, rounded down and limited to 1...Int32.max.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = limited.components
        guard seconds < Int64(Int32.max) / 1000 else { return Int64(Int32.max) }
        return max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
