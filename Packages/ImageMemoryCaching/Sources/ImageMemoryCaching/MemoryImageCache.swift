public import ImageCore
import Synchronization

/// Keeps decoded pictures within a byte budget and drops the least recently used.
///
/// Every operation is synchronous, O(1), and may be called from any thread: a lock is held for the bookkeeping alone, and
/// evicted pictures are deallocated after it is released. Cost is `DecodedImage.byteCount`.
///
/// A picture that is too large is refused and evicts nothing. The older picture under its key is dropped all the same:
/// whoever inserted the new one has said that the old one is out of date, and a miss is better than a stale hit.
public final class MemoryImageCache: ImageCache {
    private struct State {
        var storage: LRUStorage<ImageCacheKey, DecodedImage>
        var entryLimit: Int?
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - byteLimit: what all pictures together may cost, in bytes; 100 MiB unless told. A negative value counts as 0.
    ///   - entryLimit: what one picture may cost, in bytes; nil for no limit but `byteLimit`.
    public init(byteLimit: Int = 100 << 20, entryLimit: Int? = nil) {
        state = Mutex(State(storage: LRUStorage(costLimit: byteLimit), entryLimit: entryLimit))
    }

    public func image(for key: ImageCacheKey) -> DecodedImage? {
        state.withLock { $0.storage.value(for: key) }
    }

    public func insert(_ image: DecodedImage, for key: ImageCacheKey) {
        let cost = image.byteCount
        discard { state in
            guard cost <= state.entryLimit ?? .max else {
                return state.storage.removeValue(for: key).map { [$0] } ?? []
            }
            return state.storage.insert(image, cost: cost, for: key)
        }
    }

    public func remove(for key: ImageCacheKey) {
        let removed = state.withLock { $0.storage.removeValue(for: key) }
        _ = consume removed
    }

    public func removeAll() {
        discard { $0.storage.removeAll() }
    }

    /// Drops the least recently used pictures until the rest cost `byteCount` at most. The limit stays as it is.
    public func trim(to byteCount: Int) {
        discard { $0.storage.trim(to: byteCount) }
    }

    /// What all pictures together may cost, in bytes. Lowering it evicts at once.
    public var byteLimit: Int {
        get { state.withLock { $0.storage.costLimit } }
        set { discard { $0.storage.setCostLimit(newValue) } }
    }

    /// What one picture may cost, in bytes, or nil. Lowering it concerns pictures inserted from then on.
    public var entryLimit: Int? {
        get { state.withLock { $0.entryLimit } }
        set { state.withLock { $0.entryLimit = newValue } }
    }

    /// The cost of all pictures now, in bytes: exact, and never above `byteLimit`.
    public var totalCost: Int { state.withLock { $0.storage.totalCost } }

    /// How many pictures are kept now.
    public var count: Int { state.withLock { $0.storage.count } }

    /// Runs a change under the lock and lets go of the pictures that it removed after the lock is released.
    private func discard(_ change: (inout State) -> [DecodedImage]) {
        let removed = state.withLock { change(&$0) }
        _ = consume removed
    }
}
