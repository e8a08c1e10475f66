public import ImageCore

/// Keeps decoded pictures within a byte budget and lets a policy choose what goes.
///
/// Every operation is synchronous, O(1), and may be called from any thread: a lock is held for the bookkeeping alone, and
/// evicted pictures are deallocated after it is released. Cost is `DecodedImage.byteCount`.
///
/// A picture that is too large is refused and evicts nothing. The older picture under its key is dropped all the same:
/// whoever inserted the new one has said that the old one is out of date, and a miss is better than a stale hit.
public final class MemoryImageCache: ImageCache {
    private let cache: MemoryCache<ImageCacheKey, DecodedImage>

    /// - Parameters:
    ///   - byteLimit: what all pictures together may cost, in bytes; 100 MiB unless told. A negative value counts as 0.
    ///   - entryLimit: what one picture may cost, in bytes; nil for no limit but `byteLimit`.
    ///   - policy: what goes when room is needed.
    public init(byteLimit: Int = 100 << 20, entryLimit: Int? = nil, policy: EvictionPolicy = .lru) {
        cache = MemoryCache(limits: CacheLimits(cost: byteLimit, entryCost: entryLimit ?? .max), policy: policy)
    }

    public func image(for key: ImageCacheKey) -> DecodedImage? { cache.value(for: key) }

    public func insert(_ image: DecodedImage, for key: ImageCacheKey) {
        cache.insert(image, cost: image.byteCount, for: key)
    }

    public func remove(for key: ImageCacheKey) { cache.removeValue(for: key) }

    public func removeAll() { cache.removeAll() }

    /// Evicts pictures until the rest cost `byteCount` at most. The limit stays as it is.
    public func trim(to byteCount: Int) { cache.trim(toCost: byteCount) }

    /// What all pictures together may cost, in bytes. Lowering it evicts at once.
    public var byteLimit: Int {
        get { cache.limits.cost }
        set { cache.changeLimits { $0.cost = max(0, newValue) } }
    }

    /// What one picture may cost, in bytes, or nil. Lowering it concerns pictures inserted from then on.
    public var entryLimit: Int? {
        get { cache.limits.entryCost == .max ? nil : cache.limits.entryCost }
        set { cache.changeLimits { $0.entryCost = max(0, newValue ?? .max) } }
    }

    /// The cost of all pictures now, in bytes: exact, and never above `byteLimit`.
    public var totalCost: Int { cache.totalCost }

    /// How many pictures are kept now.
    public var count: Int { cache.count }
}
