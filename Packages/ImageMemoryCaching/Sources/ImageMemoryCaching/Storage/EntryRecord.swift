import ImageCore

/// The properties of an entry other than its key and value.
struct EntryRecord: Sendable {
    let candidate: EvictionCandidate
    /// Nil in a cache without a clock.
    var times: EntryTimes?

    func isExpired(at now: Duration?) -> Bool {
        guard let now, let expiry = times?.expiry else { return false }
        return expiry <= now
    }
}

/// The times of the last use and the expiry of an entry.
struct EntryTimes: Sendable {
    private(set) var lastUse: Duration
    private(set) var expiry: Duration?
    private let lifetime: EntryLifetime?

    init(lifetime: EntryLifetime?, now: Duration) {
        lastUse = now
        self.lifetime = lifetime
        expiry = lifetime.map { now + $0.duration.limited }
    }

    /// Records a use. Threads read the clock without the lock, so `now` can be earlier than the last use.
    mutating func use(at now: Duration) {
        guard now > lastUse else { return }
        lastUse = now
        if let lifetime, lifetime.isExtendedByUse { expiry = now + lifetime.duration.limited }
    }
}
