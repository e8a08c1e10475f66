import ImageCore

/// Counts the reloads of originals with work in progress, so that older work can be told from newer.
///
/// The result of older work must not replace that of a reload, and newer requests must not join it.
struct ReloadTracker: Sendable {
    private struct Entry: Sendable {
        var requestCount = 0
        var reloadCount: UInt64 = 0
    }

    /// Only originals with requests in progress: without older work, a reload makes no difference.
    private var entries: [Original: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// The number of the last reload; 0 if there was none.
    func lastReload(of original: Original) -> UInt64 { entries[original]?.reloadCount ?? 0 }

    /// A request for the original starts. Returns the number of the last reload.
    mutating func begin(_ original: Original) -> UInt64 {
        entries[original, default: Entry()].requestCount += 1
        return lastReload(of: original)
    }

    mutating func end(_ original: Original) {
        entries[original]?.requestCount -= 1
        if entries[original]?.requestCount == 0 { entries[original] = nil }
    }

    /// A reload has loaded the original: all other requests in progress for it are out of date.
    mutating func markReloaded(_ original: Original) { entries[original]?.reloadCount += 1 }
}
