import ImageCore

/// Detects stalls and exceeded deadlines, in monotonic milliseconds. Pure.
///
/// A stall is measured from the first check at which the consumer waits, so it is detected late, but never early.
package struct TransferTimer {
    private let stallLimit: Int64
    private let deadline: Int64
    private var stallStart: Int64?

    package init(stallLimit: Int64, deadline: Int64) {
        self.stallLimit = stallLimit
        self.deadline = deadline
    }

    package init(_ request: TransportRequest, deadline: Int64) {
        self.init(stallLimit: request.stallTimeout.wholeMilliseconds, deadline: deadline)
    }

    /// Returns the time of the next check: after a quarter of the limit, a second, or at the deadline.
    package func nextCheck(after now: Int64) -> Int64 {
        min(deadline, now + min(1000, max(1, stallLimit / 4)))
    }

    /// Restarts the measurement of a stall.
    package mutating func bytesArrived() { stallStart = nil }

    package enum Expiry { case stalled, overdue }

    /// Returns how the transfer has expired. `isWaiting` says whether the consumer waits for bytes from the server.
    package mutating func expiry(isWaiting: Bool, now: Int64) -> Expiry? {
        if now >= deadline { return .overdue }
        guard isWaiting else {
            stallStart = nil
            return nil
        }
        let since = stallStart ?? now
        stallStart = since
        return now - since >= stallLimit ? .stalled : nil
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
