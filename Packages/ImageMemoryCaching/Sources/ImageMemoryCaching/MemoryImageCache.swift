public import ImageCore

/// Stores decoded images within a limit of bytes. An eviction policy chooses which images to evict.
///
/// All operations are synchronous and can be called from any thread. The cost of an image is `DecodedImage.byteCount` and
/// the size of its key's texts. An image that exceeds a limit by itself is refused and evicts nothing. The older image for its key is removed.
///
/// The cache can find an evicted or refused image while others, such as a view, retain it. It then becomes an entry
/// again; until then it is not in `totalCost`.
public final class MemoryImageCache: ImageCache {
    private let cache: MemoryCache<ImageCacheKey, DecodedImage>

    /// - Parameters:
    ///   - byteLimit: The maximum cost of all images, in bytes. A negative value counts as 0.
    ///   - entryLimit: The maximum cost of one image, in bytes; nil for no limit.
    ///   - policy: Chooses the images to evict.
    ///   - clock: Measures lifetimes, and how long images are unused.
    ///   - lifetime: The lifetime of images; nil if they don't expire. Requires a clock.
    ///   - inUseLimit: The maximum number of evicted images that can be found while they are in use.
    public init(
        byteLimit: Int = 100 << 20, entryLimit: Int? = nil, policy: EvictionPolicy = .gdsf, clock: CacheClock? = nil,
        lifetime: EntryLifetime? = nil, inUseLimit: Int = 1_000
    ) {
        cache = MemoryCache(
            limits: CacheLimits(cost: byteLimit, entryCost: entryLimit ?? .max), policy: policy, clock: clock,
            lifetime: lifetime, weakReferences: .decodedImage, weakLimit: inUseLimit)
    }

    public func image(for key: ImageCacheKey) -> DecodedImage? { cache.value(for: key) }

    public func insert(_ image: DecodedImage, for key: ImageCacheKey) {
        insert(image, refetch: .network, lifetime: nil, for: key)
    }

    /// Inserts an image and removes the older image for its key.
    /// - Parameters:
    ///   - refetch: The cost of loading the image again.
    ///   - lifetime: Overrides the lifetime of the cache. Requires a clock.
    public func insert(
        _ image: DecodedImage, refetch: RefetchCost, lifetime: EntryLifetime? = nil, for key: ImageCacheKey
    ) {
        cache.insert(image, cost: image.byteCount + key.byteCount, refetch: refetch, lifetime: lifetime, for: key)
    }

    public func remove(for key: ImageCacheKey) { cache.removeValue(for: key) }

    public func removeAll() { cache.removeAll() }

    /// Removes the images that satisfy a predicate, for example all sizes of one image. O(n).
    /// - Parameter isUnwanted: Receives a key, and the time since its image was inserted or last found; nil without a
    ///   clock. Called without the lock.
    public func removeAll(where isUnwanted: (_ key: ImageCacheKey, _ unusedFor: Duration?) -> Bool) {
        cache.removeAll(where: isUnwanted)
    }

    /// Removes all expired images. O(n). You don't need to call it, because each insertion checks a few entries.
    public func removeExpired() { cache.removeExpired() }

    /// Evicts images until the total cost is at most `byteCount`. The limit doesn't change.
    /// - Parameter cause: The cause in the statistics, `.trim` or `.pressure`.
    public func trim(to byteCount: Int, cause: EvictionCause = .trim) {
        cache.trim(toCost: byteCount, cause: cause)
    }

    /// Evicts images, with the cause `.pressure`, until at most a share of the current total cost is left.
    /// - Parameter share: From 0 to 1. Other values are clamped; NaN counts as 0.
    public func trim(toShare share: Double) {
        trim(to: Int(Double(totalCost) * min(1, max(0, share))), cause: .pressure)
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

    public var storesImages: Bool {
        let limits = cache.limits
        return min(limits.cost, limits.entryCost) > 0
    }

    /// The number of images.
    public var count: Int { cache.count }

    /// Counts since the cache was created, and its current size.
    public var statistics: CacheStatistics { cache.statistics }
}

extension WeakReferenceFactory<DecodedImage> {
    /// References the pixels, which all copies of an image share, weakly, and retains the rest of the image.
    public static let decodedImage = WeakReferenceFactory { image in
        guard let reference = image.weakReference() else { return nil }
        return { reference.image }
    }
}
