/// Tells when a transfer has been silent for too long while someone waited for it, or has taken too long in all. Pure: it is
/// told the time, in monotonic milliseconds.
///
/// It is asked now and then, not at the moment when waiting begins; so it counts silence from the first question that finds
/// someone waiting, and is late by the time between questions, never early.
package struct TransferTimer {
    private let stallLimit: Int64
    private let deadline: Int64
    private var silentSince: Int64?

    package init(stallLimit: Int64, deadline: Int64) {
        self.stallLimit = stallLimit
        self.deadline = deadline
    }

    package init(_ request: TransportRequest, deadline: Int64) {
        self.init(stallLimit: request.stallTimeout.wholeMilliseconds, deadline: deadline)
    }

    /// When to ask again: after a quarter of the limit, or a second, or at the deadline, whatever comes first.
    package func nextQuestion(after now: Int64) -> Int64 {
        min(deadline, now + min(1000, max(1, stallLimit / 4)))
    }

    package mutating func heardSomething() { silentSince = nil }

    package enum Expiry { case stalled, overdue }

    /// - Parameter isWaitedFor: whether silence counts now.
    package mutating func expiry(isWaitedFor: Bool, now: Int64) -> Expiry? {
        if now >= deadline { return .overdue }
        guard isWaitedFor else {
            silentSince = nil
            return nil
        }
        let since = silentSince ?? now
        silentSince = since
        return now - since >= stallLimit ? .stalled : nil
    }
}

extension Duration {
    /// At least 1, at most what 31 bits hold.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max) / 1000 else { return Int64(Int32.max) }
        return max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
