/// When an entry was used last, and when it expires, by the cache's clock.
@usableFromInline
struct EntryTimes: Sendable {
    private(set) var lastUse: Duration
    private var expiry: Duration?
    private let lifetime: EntryLifetime?

    init(lifetime: EntryLifetime?, now: Duration) {
        lastUse = now
        self.lifetime = lifetime
        expiry = lifetime.map { now + $0.duration }
    }

    func isOver(at now: Duration) -> Bool { expiry.map { $0 <= now } ?? false }

    mutating func use(at now: Duration) {
        lastUse = now
        if let lifetime, lifetime.isExtendedByUse { expiry = now + lifetime.duration }
    }
}
