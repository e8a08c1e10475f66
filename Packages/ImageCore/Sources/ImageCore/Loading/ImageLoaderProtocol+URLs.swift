extension ImageLoaderProtocol {
    /// Loads the image at a URL.
    ///
    /// - Parameters:
    ///   - url: An http, https, file or `data:` URL.
    ///   - target: The size to decode to, such as `.fit(width: 300, height: 300)`; nil for the stored size.
    ///   - processors: Applied to the decoded image, in order.
    ///   - priority: The priority among the requests of the loader.
    ///   - onProgress: Called with the progress of the download, on any thread, one call at a time.
    /// - Throws: `ImageError.cancelled` if the calling task is cancelled.
    public func image(
        for url: URL, target: ImageTarget? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedImage {
        try await image(
            for: ImageRequest(url: url, target: target, processors: processors, priority: priority),
            onProgress: onProgress)
    }

    /// Loads the animation at a URL. A still image is an animation of one frame.
    ///
    /// - Parameters:
    ///   - url: An http, https, file or `data:` URL.
    ///   - target: The size to decode to; nil for the stored size.
    ///   - processors: Applied to each frame, in order.
    ///   - priority: The priority among the requests of the loader.
    /// - Throws: `ImageError.cancelled` if the calling task is cancelled.
    public func animation(
        for url: URL, target: ImageTarget? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal
    ) async throws(ImageError) -> LoadedAnimation {
        try await animation(for: ImageRequest(url: url, target: target, processors: processors, priority: priority))
    }

    /// Returns the image at a URL if it is in the memory cache.
    ///
    /// - Parameters:
    ///   - url: The URL of the image.
    ///   - target: The size to which it was decoded; nil for the stored size.
    ///   - processors: Those that were applied to it, in order.
    public func cachedImage(
        for url: URL, target: ImageTarget? = nil, processors: [any ImageProcessor] = []
    ) -> LoadedImage? {
        cachedImage(for: ImageRequest(url: url, target: target, processors: processors))
    }
}
