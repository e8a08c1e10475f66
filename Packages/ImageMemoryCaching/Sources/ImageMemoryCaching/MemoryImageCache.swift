public import ImageCore

/// Keeps decoded pictures within a byte budget and lets a policy choose what goes.
///
/// Every operation is synchronous, O(1), and may be called from any thread: a lock is held for the bookkeeping alone, and
/// evicted pictures are deallocated after it is released. Cost is `DecodedImage.byteCount`.
///
/// A picture that is too large is refused and evicts nothing. The older picture under its key is dropped all the same:
/// whoever inserted the new one has said that the old one is out of date, and a miss is better than a stale hit.
///
/// An evicted or refused picture that a view still shows is found again, without a second copy in memory: until then it costs the cache
/// nothing, and is not in `totalCost`; from then on it is an entry as any other.
public final class MemoryImageCache: ImageCache {
    private let cache: MemoryCache<ImageCacheKey, DecodedImage>

    /// - Parameters:
    ///   - byteLimit: what all pictures together may cost, in bytes; 100 MiB unless told. A negative value counts as 0.
    ///   - entryLimit: what one picture may cost, in bytes; nil for no limit but `byteLimit`.
    ///   - policy: what goes when room is needed: what was used least for its size, unless told. The room's README compares.
    ///   - clock: for lifetimes and for the age of entries. Without one, no time is read.
    ///   - lifetime: how long a picture may be served; needs a clock.
    ///   - inUseLimit: how many evicted pictures are found again as long as they are in use elsewhere; 0 for none.
    ///   - readers: how many threads can find a picture at the same time without waiting for each other, 1 to 64.
    public init(
        byteLimit: Int = 100 << 20, entryLimit: Int? = nil, policy: EvictionPolicy = .gdsf, clock: CacheClock? = nil,
        lifetime: EntryLifetime? = nil, inUseLimit: Int = 1_000, readers: Int = 4
    ) {
        cache = MemoryCache(
            limits: CacheLimits(cost: byteLimit, entryCost: entryLimit ?? .max), policy: policy, clock: clock,
            lifetime: lifetime, weakForm: .decodedImage, weakLimit: inUseLimit, readers: readers)
    }

    public func image(for key: ImageCacheKey) -> DecodedImage? { cache.value(for: key) }

    public func insert(_ image: DecodedImage, for key: ImageCacheKey) {
        insert(image, refetch: .network, lifetime: nil, for: key)
    }

    /// - Parameters:
    ///   - refetch: what it takes to get the picture again, for a policy that asks.
    ///   - lifetime: nil for that of all pictures. Needs a clock.
    public func insert(
        _ image: DecodedImage, refetch: RefetchCost, lifetime: EntryLifetime? = nil, for key: ImageCacheKey
    ) {
        cache.insert(image, cost: image.byteCount, refetch: refetch, lifetime: lifetime, for: key)
    }

    public func remove(for key: ImageCacheKey) { cache.removeValue(for: key) }

    public func removeAll() { cache.removeAll() }

    /// Removes the pictures whose keys answer to a description, all sizes of one source for instance. O(n).
    public func removeAll(where isUnwanted: (ImageCacheKey) throws -> Bool) rethrows {
        try cache.removeAll(where: isUnwanted)
    }

    /// Removes all pictures whose time is over. O(n); a few of them go with each insertion anyway.
    public func removeExpired() { cache.removeExpired() }

    /// Evicts pictures until the rest cost `byteCount` at most. The limit stays as it is.
    /// - Parameter cause: what the statistics say of it: `.trim` or `.pressure`.
    public func trim(to byteCount: Int, cause: EvictionCause = .trim) {
        cache.trim(toCost: byteCount, cause: cause)
    }

    /// What all pictures together may cost, in bytes. Lowering it evicts at once.
    public var byteLimit: Int {
        get { cache.limits.cost }
        set { cache.changeLimits { $0.cost = newValue } }
    }

    /// What one picture may cost, in bytes, or nil. Lowering it concerns pictures inserted from then on.
    public var entryLimit: Int? {
        get { cache.limits.entryCost == .max ? nil : cache.limits.entryCost }
        set { cache.changeLimits { $0.entryCost = newValue ?? .max } }
    }

    /// The cost of all pictures now, in bytes: exact, and never above `byteLimit`.
    public var totalCost: Int { cache.totalCost }

    public var byteCount: Int? { totalCost }

    /// How many pictures are kept now.
    public var count: Int { cache.count }

    /// What the cache has done since it was made, and what it holds now.
    public var statistics: CacheStatistics { cache.statistics }
}

extension WeakForm<DecodedImage> {
    /// Refers to the pixels, which all copies of a picture share, and keeps the rest of it.
    public static let decodedImage = WeakForm { image in
        guard let reference = image.weakReference() else { return nil }
        return { reference.image }
    }
}
