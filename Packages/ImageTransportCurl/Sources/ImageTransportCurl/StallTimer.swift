/// Tells when a transfer has been silent for too long while someone waited for it. Pure: it is told the time.
///
/// It is asked now and then, not at the moment when waiting begins; so it counts from the first question that finds someone
/// waiting, and is late by the time between questions, never early.
struct StallTimer {
    /// Milliseconds.
    let limit: Int64
    private var silentSince: Int64?

    init(limit: Int64) { self.limit = limit }

    /// Milliseconds that may pass between questions: a quarter of the limit, a second at most.
    var granularity: Int64 { min(1000, max(1, limit / 4)) }

    mutating func heardSomething() { silentSince = nil }

    /// - Parameters:
    ///   - isWaitedFor: whether silence counts now.
    ///   - now: monotonic milliseconds.
    mutating func isOver(isWaitedFor: Bool, now: Int64) -> Bool {
        guard isWaitedFor else {
            silentSince = nil
            return false
        }
        let since = silentSince ?? now
        silentSince = since
        return now - since >= limit
    }
}
