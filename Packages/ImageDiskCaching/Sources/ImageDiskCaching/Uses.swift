import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The uses of entries that are not in the modification times of their files yet.
///
/// A hit writes nothing to the disk. The cache writes the times after 256 hits and before it evicts entries.
final class PendingUses: Sendable {
    private static let usesPerFlush = 256

    private let times = Mutex<[EntryName: Int64]>([:])

    /// Records a use. Returns true if there are so many that the caller should write them.
    func note(_ name: EntryName, at time: Int64) -> Bool {
        times.withLock { times in
            times[name] = time
            return times.count == Self.usesPerFlush
        }
    }

    /// The time of the last use that is not written yet.
    func time(of name: EntryName) -> Int64? { times.withLock { $0[name] } }

    /// Forgets the use of an entry that was replaced.
    func forget(_ name: EntryName) { times.withLock { $0[name] = nil } }

    /// Returns and forgets all uses.
    func take() -> [EntryName: Int64] {
        times.withLock { times in
            defer { times = [:] }
            return times
        }
    }
}

/// Times of uses, in nanoseconds since 1970.
struct UseClock: Sendable {
    /// The time by which an entry can be ahead of the clock: one hour.
    private static let maxSkew: Int64 = 3_600_000_000_000

    let now: @Sendable () -> Date

    var time: Int64 { Self.nanoseconds(now()) }

    /// Returns the time that was `age` ago.
    func time(before age: Duration) -> Int64 {
        // The components of the longest durations don't fit into integers.
        let most = Duration.seconds(9_000_000_000)
        return Self.nanoseconds(now() - min(max(age, .zero - most), most) / .seconds(1))
    }

    /// Returns the time of a use for comparisons. A time that is far ahead of the clock counts as the oldest one, because
    /// such an entry would otherwise never be evicted.
    func trusted(_ time: Int64) -> Int64 { time > self.time + Self.maxSkew ? .min : time }

    static func date(_ nanoseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }

    /// Clamps dates to 285 years around 1970.
    private static func nanoseconds(_ date: Date) -> Int64 {
        Int64(min(9e9, max(-9e9, date.timeIntervalSince1970)) * 1e9)
    }
}
