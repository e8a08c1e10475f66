extension ImageLoaderProtocol {
    /// Loads the image at a URL.
    ///
    /// - Parameters:
    ///   - url: An http, https, file or `data:` URL.
    ///   - size: The size, in pixels, in which the image must fit; nil for the stored size. The aspect ratio is kept.
    ///   - processors: Applied to the decoded image, in order.
    ///   - priority: The priority among the requests of the loader.
    ///   - onProgress: Called with the progress of the download, on any thread, one call at a time.
    public func image(
        for url: URL, fitting size: PixelSize? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedImage {
        let target = size.map { ImageTarget.fit($0) }
        return try await image(
            for: ImageRequest(url: url, target: target, processors: processors, priority: priority),
            onProgress: onProgress)
    }

    /// Loads the image at a URL and crops it evenly to the aspect ratio of a size.
    ///
    /// - Parameters:
    ///   - url: An http, https, file or `data:` URL.
    ///   - size: The size, in pixels, that the image must cover.
    ///   - processors: Applied to the decoded image, in order.
    ///   - priority: The priority among the requests of the loader.
    ///   - onProgress: Called with the progress of the download, on any thread, one call at a time.
    public func image(
        for url: URL, filling size: PixelSize, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedImage {
        try await image(
            for: ImageRequest(url: url, target: .fill(size), processors: processors, priority: priority),
            onProgress: onProgress)
    }
}
