import ImageCore
import Synchronization

extension ImageLoader {
    /// Returns the requested image from the memory cache, or a larger one if the request accepts it.
    func imageInMemory(_ key: ImageCacheKey, for request: ImageRequest) -> DecodedImage? {
        guard request.readsMemory, let cache = configuration.memoryCache else { return nil }
        if let image = cache.image(for: key) { return image }
        guard request.acceptsLarger, let target = request.target else { return nil }
        for candidate in sizes.withLock({ $0.candidates(for: key) }) {
            if let image = cache.image(for: candidate), image.covers(target) { return image }
        }
        return nil
    }

    func missReason(for context: RequestContext) -> CacheMiss {
        if configuration.memoryCache == nil { return .noCache }
        if !context.request.readsMemory { return .policy }
        return sizes.withLock { $0.miss(of: context.key) }
    }

    /// Stores a result in memory, if the policy allows it and no reload has outdated it, and returns it updated.
    func storeInMemory(_ result: ImageJobResult, for context: RequestContext) -> ImageJobResult {
        var result = result
        result.requestID = context.id
        result.isInMemory = insert(result, for: context)
        return result
    }

    private func insert(_ result: ImageJobResult, for context: RequestContext) -> Bool {
        guard context.request.cachePolicy.memory.writes, result.loaded.source != .stale,
            let cache = configuration.memoryCache, context.isCurrent(result.lastReload)
        else { return false }
        cache.insert(result.loaded.image, for: context.key)
        sizes.withLock { $0.inserted(context.key) }
        guard context.isCurrent(result.lastReload) else {
            cache.remove(for: context.key)
            return false
        }
        context.send(.storedInMemory)
        return true
    }
}

extension ImageCache {
    func trim(under level: MemoryPressureLevel) {
        switch level {
        case .normal: break
        case .background, .warning: trim(toShare: 0.5)
        case .critical: removeAll()
        }
    }
}
