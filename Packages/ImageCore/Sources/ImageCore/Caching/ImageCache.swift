/// Stores decoded images within a byte limit. Synchronous, so that a view can show a hit immediately.
///
/// Promises:
/// - Every operation can be called from any thread, does no I/O and returns immediately.
/// - An inserted image is found until it is removed, replaced or evicted.
/// - The total cost never exceeds the limit after an operation. An image that exceeds it by itself is refused and
///   evicts no other.
/// - If an image is refused, the older one for its key is removed, because it is out of date.
/// - An evicted image may be found again while others hold it. A removed or replaced image is not found again.
/// - `removeAll(where:)` removes the images that satisfy the predicate and no other. It calls the predicate without a
///   lock.
/// - `byteCount`, if it is not nil, is exact.
/// - After concurrent insertions for one key, one of the images is stored.
public protocol ImageCache: Sendable {
    /// Returns the image for a key, or nil.
    func image(for key: ImageCacheKey) -> DecodedImage?
    /// Inserts an image and replaces the older one.
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The image's name, size and processors.
    ///   - retention: A cache may ignore it.
    func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention)
    /// Removes the image for a key, if there is one.
    func remove(for key: ImageCacheKey)
    /// Removes all images.
    func removeAll()
    /// Removes the images that satisfy a predicate. It receives the time since an image was inserted or last found; nil
    /// without a clock.
    func removeAll(where isUnwanted: (_ key: ImageCacheKey, _ unusedFor: Duration?) -> Bool)

    /// Evicts images until at most a share of the current cost is left. The limit doesn't change.
    /// - Parameter share: From 0, which removes all, to 1.
    func trim(toShare share: Double)

    /// The total cost in bytes; nil if the cache doesn't report it.
    var byteCount: Int? { get }

    /// Whether there is an image that the cache can store: false with a limit of 0. True by default.
    var storesImages: Bool { get }
}

/// How long a memory cache keeps an image, compared with others.
@nonexhaustive
public enum MemoryRetention: Sendable, CaseIterable {
    /// The image is cheap to get back, for example from disk. It is evicted before preferred ones.
    case expendable
    /// The image is expensive to get back.
    case preferred
}

extension ImageCache {
    /// Inserts a preferred image and replaces the older one.
    public func insert(_ image: DecodedImage, for key: ImageCacheKey) {
        insert(image, for: key, retention: .preferred)
    }

    public var byteCount: Int? { nil }

    public var storesImages: Bool { true }

    /// Removes all images.
    public func trim(toShare share: Double) { removeAll() }
}
