/// Loads images. Depend on this protocol to use `FakeImageLoader` of ImageTesting in your tests.
///
/// Promises:
/// - `cachedImage` is synchronous and starts nothing.
/// - Each request ends once, with a result or an `ImageError`.
/// - If the caller's task is cancelled, the request ends with `.cancelled`. Other requests continue.
/// - `onProgress` is called on any thread, and not after the request ended.
public protocol ImageLoaderProtocol: AnyObject, Sendable {
    /// Returns the image if it is in the memory cache.
    func cachedImage(for request: ImageRequest) -> LoadedImage?
    /// Returns the key of a request in the memory cache; by default `ImageRequest.cacheKey`.
    func cacheKey(for request: ImageRequest) -> ImageCacheKey
    /// Loads an image.
    func image(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage
    /// Loads an image at a priority that can change. By default, it keeps that of the request.
    func image(
        for request: ImageRequest, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage
    /// Loads an animation at a priority that can change. A still image is an animation of one frame.
    ///
    /// By default, it loads the image, for loaders that play no animations.
    func animation(
        for request: ImageRequest, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedAnimation
    /// Loads the encoded original.
    func data(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData
}

extension ImageLoaderProtocol {
    public func cacheKey(for request: ImageRequest) -> ImageCacheKey { request.cacheKey }

    public func image(
        for request: ImageRequest, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage {
        try await image(for: request, onProgress: onProgress)
    }

    public func animation(
        for request: ImageRequest, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedAnimation {
        LoadedAnimation(still: try await image(for: request, priority: priority, onProgress: onProgress))
    }

    /// Loads an animation. A still image is an animation of one frame.
    public func animation(for request: ImageRequest) async throws(ImageError) -> LoadedAnimation {
        try await animation(for: request, priority: LivePriority(request.priority), onProgress: { _ in })
    }

    /// Loads an image.
    public func image(for request: ImageRequest) async throws(ImageError) -> LoadedImage {
        try await image(for: request, onProgress: { _ in })
    }

    /// Loads the encoded original.
    public func data(for request: ImageRequest) async throws(ImageError) -> LoadedData {
        try await data(for: request, onProgress: { _ in })
    }
}
