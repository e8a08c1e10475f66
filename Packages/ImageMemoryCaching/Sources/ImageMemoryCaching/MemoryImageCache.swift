public import ImageCore

/// Stores decoded images within a limit of bytes. The cost of an image is `DecodedImage.byteCount` and the size of its
/// key's texts. An image that exceeds a limit by itself is refused and evicts nothing.
///
/// An evicted or refused image becomes an entry again if it is looked up while others, such as a view, retain it.
public final class MemoryImageCache: ImageCache {
    private let cache: MemoryCache<ImageCacheKey, DecodedImage>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - byteLimit: The maximum cost of all images, in bytes. A negative value counts as 0.
    ///   - entryByteLimit: The maximum cost of one image, in bytes; nil for no limit.
    ///   - policy: Chooses the images to evict.
    ///   - clock: Measures lifetimes, and how long images are unused. Nil for the system's, and only if there is a lifetime.
    ///   - lifetime: The time after which an image expires, from 0 to 100 years; nil for no limit.
    public init(
        byteLimit: Int = 100_000_000, entryByteLimit: Int? = nil, policy: EvictionPolicy = .standard,
        clock: (any Clock<Duration>)? = nil, lifetime: Duration? = nil
    ) {
        cache = MemoryCache(
            limits: CacheLimits(cost: byteLimit, entryCost: entryByteLimit ?? .max), policy: policy, clock: clock,
            lifetime: lifetime
        ) { image in
            guard let reference = image.weakReference() else { return nil }
            return { reference.image }
        }
    }

    public func image(for key: ImageCacheKey) -> DecodedImage? { cache.value(for: key) }

    public func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention) {
        cache.insert(image, cost: image.byteCount + key.byteCount, retention: retention, for: key)
    }

    public func remove(for key: ImageCacheKey) { cache.removeValue(for: key) }

    public func removeAll() { cache.removeAll() }

    /// Removes the images that satisfy a predicate, for example all sizes of one image. O(n).
    /// - Parameter isUnwanted: Receives a key, and the time since its image was inserted or last found; nil without a
    ///   clock. Called without the lock.
    public func removeAll(where isUnwanted: (_ key: ImageCacheKey, _ unusedFor: Duration?) -> Bool) {
        cache.removeAll(where: isUnwanted)
    }

    /// Evicts images until at most a share of the current total cost is left.
    /// - Parameter share: From 0 to 1. Other values are clamped; NaN counts as 0.
    public func trim(toShare share: Double) {
        cache.trim(toCost: Int(Double(cache.totalCost) * min(1, max(0, share))))
    }

    /// The maximum cost of all images, in bytes. A lower limit evicts images at once.
    public var byteLimit: Int {
        get { cache.limits.cost }
        set { cache.limits.cost = newValue }
    }

    /// The cost of all images, in bytes. It is exact and never exceeds `byteLimit`.
    public var byteCount: Int? { cache.totalCost }

    public var storesImages: Bool {
        let limits = cache.limits
        return min(limits.cost, limits.entryCost) > 0
    }

    /// The number of images.
    public var count: Int { cache.count }
}
