public import ImageCore

extension ImageLoader {
    /// Loads an animation. Its frames are decoded on demand to the size of the request, and processed.
    ///
    /// The first frame is loaded like an image and shares all operations with requests for it: one download serves both.
    /// If it is in memory, the original is loaded from disk, or from the network if it is not stored. All who show
    /// the same image share the frames. ``ImageLoaderParts/animationByteLimit`` limits their memory.
    public func animation(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedAnimation {
        let request = chosen(request)
        let key = cacheKey(for: request)
        if !Task.isCancelled, let hit = memoryHit(key, for: request) {
            return try await animation(hit, original: nil, for: request, key, priority, onProgress)
        }
        let result = try await result(for: RequestContext(self, request, key), priority, onProgress).get()
        return try await animation(result.loaded, original: result.animated, for: request, key, priority, onProgress)
    }

    private func animation(
        _ loaded: LoadedImage, original: Data?, for request: ImageRequest, _ key: ImageCacheKey,
        _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedAnimation {
        guard loaded.decoded.header.frameCount > 1 else { return LoadedAnimation(still: loaded) }
        let shared: SharedAnimation
        if original == nil, let shown = animations.animation(for: key), shown.isShown(by: loaded.decoded) {
            shared = shown
        } else {
            let data =
                if let original { original } else { try await self.data(for: request, key, priority, onProgress).data }
            shared = animations.animation(
                for: key, orNew: SharedAnimation(loaded.decoded, data, of: request, key, priority, loader: self))
        }
        if priority.value > shared.priority.value { shared.priority.value = priority.value }
        return LoadedAnimation(firstFrame: loaded, frames: shared)
    }
}
