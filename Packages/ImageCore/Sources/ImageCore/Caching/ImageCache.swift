/// Keeps decoded images within a byte budget. Synchronous, because a hit must cost no task and no actor hop.
///
/// Promises:
/// - Every operation may be called from any thread and returns at once; none does I/O.
/// - An inserted image is found until it is removed, replaced or evicted.
/// - The sum of costs never exceeds the limit after any operation; an image above it alone is refused and evicts no other.
/// - A refused image does not leave the older one under its key: it is out of date.
/// - An evicted image may be found again while others hold it; a removed or replaced one never.
/// - The sum of costs, if it is told, is exact.
/// - Concurrent inserts for one key leave one of the images, whole.
public protocol ImageCache: Sendable {
    func image(for key: ImageCacheKey) -> DecodedImage?
    func insert(_ image: DecodedImage, for key: ImageCacheKey)
    func remove(for key: ImageCacheKey)
    func removeAll()

    /// Evicts until at most this share of what is kept now, by cost, is left. The limit stays, and the cache goes on.
    /// - Parameter share: 0 to 1; 0 empties.
    func trim(toShare share: Double)

    /// The sum of costs now, in bytes; nil where the cache does not tell.
    var byteCount: Int? { get }
}

extension ImageCache {
    public var byteCount: Int? { nil }

    /// Forgets everything: for caches that can't choose what to keep.
    public func trim(toShare share: Double) { removeAll() }
}
