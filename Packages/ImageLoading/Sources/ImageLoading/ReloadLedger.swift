import ImageCore
import Synchronization

/// How often originals were reloaded while older work on them was under way: what that work brings later must neither take
/// the place of what the reload brought nor be joined.
///
/// Keeps nothing of an original on which no work is under way.
struct ReloadLedger: Sendable {
    private struct Reloading {
        var underWay = 0
        var reloads: UInt64 = 0

        mutating func began() -> UInt64 {
            underWay += 1
            return reloads
        }
    }

    private var originals: [Original: Reloading] = [:]

    var isEmpty: Bool { originals.isEmpty }

    func reloadCount(of original: Original) -> UInt64 { originals[original]?.reloads ?? 0 }

    /// Work on the original begins. Returns how often it has been reloaded while any was under way.
    mutating func began(_ original: Original) -> UInt64 {
        originals[original, default: Reloading()].began()
    }

    mutating func ended(_ original: Original) {
        guard let index = originals.index(forKey: original) else { return }
        if originals.values[index].underWay > 1 {
            originals.values[index].underWay -= 1
        } else {
            originals.remove(at: index)
        }
    }

    /// A reload has brought the original: all other work on it that is under way is out of date.
    mutating func reloaded(_ original: Original) { originals[original]?.reloads += 1 }
}

extension ImageLoader {
    /// Work on an original begins, and must end. Returns the number of reloads so far, which tells later whether the work is current.
    func workBegan(on original: Original) -> UInt64 { ledger.withLock { $0.began(original) } }

    func workEnded(on original: Original) { ledger.withLock { $0.ended(original) } }

    /// Makes all other work on the original out of date: a reload has brought it.
    func markReloaded(_ original: Original) { ledger.withLock { $0.reloaded(original) } }

    /// False when a reload has brought the original since work for this route began. A reload itself is always current.
    func isCurrent(_ route: FetchRoute, of original: Original) -> Bool {
        route.reloads || ledger.withLock { $0.reloadCount(of: original) } == route.reloadCount
    }
}
