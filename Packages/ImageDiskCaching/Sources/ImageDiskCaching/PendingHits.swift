import ImageCore
import Synchronization

/// The times of hits that are not in the modification times of the files yet.
///
/// A hit writes nothing to the disk. The cache writes the times after 256 hits and before it evicts entries.
final class PendingHits: Sendable {
    private static let hitsPerFlush = 256
    /// Further hits are lost if the disk is so slow that these are not written yet.
    private static let mostHits = 4 * hitsPerFlush

    private let state = Mutex<(times: [EntryName: Date], count: Int)>(([:], 0))

    /// Records a hit. Returns true for the 256th one, after which the caller should write the times.
    func note(_ name: EntryName, at time: Date) -> Bool {
        state.withLock { state in
            state.count += 1
            if state.count <= Self.mostHits { state.times[name] = time }
            return state.count == Self.hitsPerFlush
        }
    }

    func time(of name: EntryName) -> Date? { state.withLock { $0.times[name] } }

    func forget(_ name: EntryName) { state.withLock { $0.times[name] = nil } }

    func take() -> [EntryName: Date] {
        state.withLock { state in
            defer { state = ([:], 0) }
            return state.times
        }
    }
}
