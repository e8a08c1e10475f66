import ImageCore

/// Counts the reloads of originals with requests in progress, so that the result of older work doesn't replace that of
/// a reload, and newer requests don't join older work.
struct ReloadTracker: Sendable {
    private struct Entry: Sendable {
        var requestCount = 0
        var reloadCount: UInt64 = 0
    }

    private var entries: [Original: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the number of the last reload, or 0 if there was none.
    func lastReload(of original: Original) -> UInt64 { entries[original]?.reloadCount ?? 0 }

    /// Adds a request. Returns the number of the last reload.
    mutating func begin(_ original: Original) -> UInt64 {
        entries[original, default: Entry()].requestCount += 1
        return lastReload(of: original)
    }

    mutating func end(_ original: Original) {
        guard let index = entries.index(forKey: original) else { return }
        entries.values[index].requestCount -= 1
        if entries.values[index].requestCount == 0 { entries.remove(at: index) }
    }

    /// Records a reload and returns its number. Bytes of the original with a lower number are outdated.
    mutating func markReloaded(_ original: Original) -> UInt64 {
        entries[original]?.reloadCount += 1
        return lastReload(of: original)
    }
}
