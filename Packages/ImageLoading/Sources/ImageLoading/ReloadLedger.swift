import ImageCore
import Synchronization

/// Which originals were reloaded while older work on them was under way: what that work brings later must neither take
/// the place of what the reload brought nor be joined.
///
/// Reloads are seldom, so work on an original costs no search while none is kept. Each reload begins an era. It is forgotten when
/// no work is under way that began in an older one, nor any that began in its light.
struct ReloadLedger: Sendable {
    /// What work was told when it began, and gives back when it ends.
    struct Beginning: Sendable {
        fileprivate var era: UInt64
        /// Which reload of its original was the last then; 0 if none was kept.
        let reload: UInt64
    }

    private struct Reload {
        /// The era that it began.
        var era: UInt64
        /// How much work on the original is under way that began while a reload of it was kept.
        var followers = 0
    }

    private struct Era {
        /// The original whose reload began it.
        let original: Original?
        /// How much work is under way that began in it.
        var underWay = 0
    }

    private var reloads: [Original: Reload] = [:]
    /// From the oldest of which work is under way to the present one.
    private var eras = [Era(original: nil)]
    private var firstEra: UInt64 = 0
    private var era: UInt64 { firstEra + UInt64(eras.count) - 1 }

    var isEmpty: Bool { reloads.isEmpty && eras.count == 1 && eras[0].underWay == 0 }

    /// The last reload of the original; 0 if none is kept.
    func lastReload(of original: Original) -> UInt64 { reloads.isEmpty ? 0 : reloads[original]?.era ?? 0 }

    /// Work on the original begins.
    mutating func began(_ original: Original) -> Beginning {
        let reload = lastReload(of: original)
        if reload > 0 { reloads[original]?.followers += 1 }
        eras[eras.count - 1].underWay += 1
        return Beginning(era: era, reload: reload)
    }

    mutating func ended(_ beginning: Beginning, _ original: Original) {
        eras[Int(beginning.era - firstEra)].underWay -= 1
        if beginning.reload > 0 {
            reloads[original]?.followers -= 1
            forgetIfOver(original)
        }
        endOldEras()
    }

    private mutating func endOldEras() {
        while eras.count > 1, eras[0].underWay == 0 {
            eras.removeFirst()
            firstEra += 1
            if let original = eras[0].original { forgetIfOver(original) }
        }
    }

    private mutating func forgetIfOver(_ original: Original) {
        if let reload = reloads[original], reload.era <= firstEra, reload.followers == 0 { reloads[original] = nil }
    }

    /// A reload has brought the original: all other work on it that is under way is out of date.
    mutating func reloaded(_ original: Original) {
        eras.append(Era(original: original))
        reloads[original] = Reload(era: era, followers: reloads[original]?.followers ?? 0)
        endOldEras()
    }
}

extension ImageLoader {
    /// Work on an original begins, and must end. Which reload was the last tells later whether the work is current.
    func workBegan(on original: Original) -> ReloadLedger.Beginning { ledger.withLock { $0.began(original) } }

    func workEnded(_ beginning: ReloadLedger.Beginning, on original: Original) {
        ledger.withLock { $0.ended(beginning, original) }
    }

    /// Makes all other work on the original out of date: a reload has brought it.
    func markReloaded(_ original: Original) { ledger.withLock { $0.reloaded(original) } }

    /// False when a reload has brought the original since this began. A reload itself is always current.
    func isCurrent(_ load: Load) -> Bool {
        load.route.reloads || ledger.withLock { $0.lastReload(of: load.original) } == load.route.lastReload
    }
}
