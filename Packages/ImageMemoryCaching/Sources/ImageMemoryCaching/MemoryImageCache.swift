public import ImageCore

/// Stores decoded images within a limit of bytes. An eviction policy chooses which images to evict.
///
/// All operations are synchronous and can be called from any thread. The cost of an image is `DecodedImage.byteCount`.
///
/// An image that exceeds a limit by itself is refused and evicts nothing. The older image for its key is removed
/// nevertheless, because the caller has declared it outdated.
///
/// The cache finds an evicted or refused image again while others, such as a view, hold it. Until then the image is not in
/// `totalCost`; when it is found, it becomes an entry again.
public final class MemoryImageCache: ImageCache {
    private let cache: MemoryCache<ImageCacheKey, DecodedImage>

    /// - Parameters:
    ///   - byteLimit: the maximum cost of all images, in bytes. A negative value counts as 0.
    ///   - entryLimit: the maximum cost of one image, in bytes.
    ///   - policy: chooses the images to evict.
    ///   - clock: for lifetimes and for `CacheStatistics.coldestAge`. Without a clock, the cache reads no time.
    ///   - lifetime: how long the cache returns an image. Requires a clock.
    ///   - inUseLimit: how many evicted images the cache can find again while they are in use.
    public init(
        byteLimit: Int = 100 << 20, entryLimit: Int? = nil, policy: EvictionPolicy = .gdsf, clock: CacheClock? = nil,
        lifetime: EntryLifetime? = nil, inUseLimit: Int = 1_000
    ) {
        cache = MemoryCache(
            limits: CacheLimits(cost: byteLimit, entryCost: entryLimit ?? .max), policy: policy, clock: clock,
            lifetime: lifetime, weakForm: .decodedImage, weakLimit: inUseLimit)
    }

    public func image(for key: ImageCacheKey) -> DecodedImage? { cache.value(for: key) }

    public func insert(_ image: DecodedImage, for key: ImageCacheKey) {
        insert(image, refetch: .network, lifetime: nil, for: key)
    }

    /// Inserts an image and removes the older image for its key.
    /// - Parameters:
    ///   - refetch: what it takes to load the image again.
    ///   - lifetime: overrides the lifetime of the cache. Requires a clock.
    public func insert(
        _ image: DecodedImage, refetch: RefetchCost, lifetime: EntryLifetime? = nil, for key: ImageCacheKey
    ) {
        cache.insert(image, cost: image.byteCount, refetch: refetch, lifetime: lifetime, for: key)
    }

    public func remove(for key: ImageCacheKey) { cache.removeValue(for: key) }

    public func removeAll() { cache.removeAll() }

    /// Removes the images whose keys satisfy a predicate, for example all sizes of one image. O(n).
    public func removeAll(where isUnwanted: (ImageCacheKey) throws -> Bool) rethrows {
        try cache.removeAll(where: isUnwanted)
    }

    /// Removes all expired images. O(n). You don't need to call it: each insertion checks a few entries.
    public func removeExpired() { cache.removeExpired() }

    /// Evicts images until the total cost is at most `byteCount`. The limit doesn't change.
    /// - Parameter cause: the cause in the statistics, `.trim` or `.pressure`.
    public func trim(to byteCount: Int, cause: EvictionCause = .trim) {
        cache.trim(toCost: byteCount, cause: cause)
    }

    /// Evicts images until at most a share of the current total cost is left. The limit doesn't change.
    ///
    /// The statistics count these evictions as `.pressure`.
    /// - Parameter share: 0 to 1. Values outside this range are clamped to it.
    public func trim(toShare share: Double) {
        trim(to: Int(Double(totalCost) * min(max(share, 0), 1)), cause: .pressure)
    }

    /// The maximum cost of all images, in bytes. A lower limit evicts images at once.
    public var byteLimit: Int {
        get { cache.limits.cost }
        set { cache.changeLimits { $0.cost = newValue } }
    }

    /// The maximum cost of one image, in bytes. A lower limit applies to later insertions.
    public var entryLimit: Int? {
        get { cache.limits.entryCost == .max ? nil : cache.limits.entryCost }
        set { cache.changeLimits { $0.entryCost = newValue ?? .max } }
    }

    /// The cost of all images, in bytes. It is exact and never exceeds `byteLimit`.
    public var totalCost: Int { cache.totalCost }

    public var byteCount: Int? { totalCost }

    /// The number of images.
    public var count: Int { cache.count }

    /// What the cache has done so far, and what it contains now.
    public var statistics: CacheStatistics { cache.statistics }
}

extension WeakForm<DecodedImage> {
    /// A weak reference to the pixels, which all copies of an image share. It retains the rest of the image.
    public static let decodedImage = WeakForm { image in
        guard let reference = image.weakReference() else { return nil }
        return { reference.image }
    }
}
