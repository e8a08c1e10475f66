/// When an entry was used last, and when it expires, by the cache's clock.
@usableFromInline
struct EntryTimes: Sendable {
    @usableFromInline private(set) var lastUse: Duration
    private var expiry: Duration?
    private let lifetime: EntryLifetime?

    init(lifetime: EntryLifetime?, now: Duration) {
        lastUse = now
        self.lifetime = lifetime
        expiry = lifetime.map { now + $0.duration }
    }

    @usableFromInline
    func isOver(at now: Duration) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Uses may be told in any order.
    @usableFromInline
    mutating func use(at now: Duration) {
        guard now > lastUse else { return }
        lastUse = now
        if let lifetime, lifetime.isExtendedByUse { expiry = now + lifetime.duration }
    }
}

/// What is known of an entry beside its key and value.
@usableFromInline
struct EntryRecord: Sendable {
    @usableFromInline let candidate: EvictionCandidate
    /// Nil without a clock.
    @usableFromInline let times: EntryTimes?

    @usableFromInline
    init(candidate: EvictionCandidate, times: EntryTimes?) {
        self.candidate = candidate
        self.times = times
    }

    /// The record of a new entry.
    /// - Parameter now: nil without a clock.
    @usableFromInline
    init(new candidate: EvictionCandidate, lifetime: EntryLifetime?, at now: Duration?) {
        self.init(candidate: candidate, times: now.map { EntryTimes(lifetime: lifetime, now: $0) })
    }

    @usableFromInline
    func isOver(at now: Duration?) -> Bool {
        guard let now, let times else { return false }
        return times.isOver(at: now)
    }
}
