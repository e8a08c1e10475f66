import ImageCore

/// A cache with a planted bug: it ignores processors when it compares keys.
struct ProcessorBlindCache: ImageCache {
    let base: any ImageCache

    func image(for key: ImageCacheKey) -> DecodedImage? { base.image(for: key.withoutProcessors) }
    func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: ImageRetention) {
        base.insert(image, for: key.withoutProcessors, retention: retention)
    }
    func remove(for key: ImageCacheKey) { base.remove(for: key.withoutProcessors) }
    func removeAll() { base.removeAll() }
    func removeAll(where isUnwanted: (ImageCacheKey, Duration?) -> Bool) { base.removeAll(where: isUnwanted) }
}

extension ImageCacheKey {
    fileprivate var withoutProcessors: ImageCacheKey { ImageCacheKey(source: source, target: target) }
}
