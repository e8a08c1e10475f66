import Synchronization

/// How often originals were reloaded while older work on them was under way: what that work brings later must neither take
/// the place of what the reload brought nor be joined.
///
/// Keeps nothing of an original on which no work is under way.
struct ReloadLedger: Sendable {
    private struct Original {
        var underWay = 0
        var reloads: UInt64 = 0
    }

    private var originals: [String: Original] = [:]

    var isEmpty: Bool { originals.isEmpty }

    func reloadCount(of source: String) -> UInt64 { originals[source]?.reloads ?? 0 }

    /// Work on the original begins. Returns how often it has been reloaded while any was under way.
    mutating func began(_ source: String) -> UInt64 {
        originals[source, default: Original()].underWay += 1
        return reloadCount(of: source)
    }

    mutating func ended(_ source: String) {
        guard let original = originals[source] else { return }
        if original.underWay > 1 { originals[source]?.underWay -= 1 } else { originals[source] = nil }
    }

    /// A reload has brought the original: all other work on it that is under way is out of date.
    mutating func reloaded(_ source: String) { originals[source]?.reloads += 1 }
}

extension ImageLoader {
    /// Runs `body` as work on an original. Gives it the number of reloads so far, which tells it later whether it is current.
    func working<Value>(
        on source: String, _ body: (_ reloadCount: UInt64) async throws -> Value
    ) async throws -> Value {
        let reloadCount = ledger.withLock { $0.began(source) }
        defer { ledger.withLock { $0.ended(source) } }
        return try await body(reloadCount)
    }

    /// Makes all other work on the original out of date: a reload has brought it.
    func markReloaded(_ source: String) { ledger.withLock { $0.reloaded(source) } }

    /// False when a reload has brought the original since work for this route began. A reload itself is always current.
    func isCurrent(_ route: FetchRoute, of source: String) -> Bool {
        route.reloads || ledger.withLock { $0.reloadCount(of: source) } == route.reloadCount
    }
}
