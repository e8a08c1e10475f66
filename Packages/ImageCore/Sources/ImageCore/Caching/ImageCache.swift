/// Stores decoded images within a byte limit. Synchronous, so that a view can show a hit in the same turn of the run
/// loop.
///
/// Promises:
/// - Every operation can be called from any thread, does no I/O and returns immediately.
/// - An inserted image is found until it is removed, replaced or evicted.
/// - The total cost never exceeds the limit after an operation. An image that exceeds it by itself is refused and
///   evicts no other.
/// - If an image is refused, the older one for its key is removed, because it is out of date.
/// - An evicted image may be found again while others hold it. A removed or replaced image is not found again.
/// - `byteCount`, if it is not nil, is exact.
/// - After concurrent insertions for one key, one of the images is stored.
public protocol ImageCache: Sendable {
    /// Returns the image for a key, or nil.
    func image(for key: ImageCacheKey) -> DecodedImage?
    /// Inserts an image and replaces the older one.
    func insert(_ image: DecodedImage, for key: ImageCacheKey)
    /// Removes the image for a key, if there is one.
    func remove(for key: ImageCacheKey)
    /// Removes all images.
    func removeAll()

    /// Evicts images until at most a share of the current cost is left. The limit doesn't change.
    /// - Parameter share: From 0, which removes all, to 1.
    func trim(toShare share: Double)

    /// The total cost in bytes; nil if the cache doesn't report it.
    var byteCount: Int? { get }
}

extension ImageCache {
    public var byteCount: Int? { nil }

    /// Removes all images.
    public func trim(toShare share: Double) { removeAll() }
}
