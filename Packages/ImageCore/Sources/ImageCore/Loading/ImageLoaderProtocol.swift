/// Loads images. Depend on this protocol to use `FakeImageLoader` of ImageTesting in your tests.
///
/// Promises:
/// - `cachedImage` is synchronous and starts nothing.
/// - Each request ends once, with a result or an `ImageError`.
/// - If the caller's task is cancelled, the request ends with `.cancelled`. Other requests continue.
/// - `onProgress` is called on any thread, and not after the request ended.
public protocol ImageLoaderProtocol: AnyObject, Sendable {
    /// Returns the image if it is in the memory cache and the request may use it.
    func cachedImage(for request: ImageRequest) -> LoadedImage?
    /// Returns the key of a request in the memory cache; by default `ImageRequest.cacheKey`.
    func cacheKey(for request: ImageRequest) -> ImageCacheKey
    /// Loads an image. Throws `.cancelled` if the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The origin, the size and how to get it.
    ///   - priority: The priority to follow, in place of that of the request. It can change meanwhile.
    ///   - onProgress: Called with progress and, if requested, previews. On any thread, one call at a time.
    func image(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage
    /// Loads an animation. A still image is an animation of one frame. Throws `.cancelled` if the calling task is
    /// cancelled.
    ///
    /// By default, it loads the image, for loaders that play no animations.
    ///
    /// - Parameters:
    ///   - request: The origin, the size and how to get it.
    ///   - priority: The priority to follow, in place of that of the request.
    ///   - onProgress: Called with progress and, if requested, previews. On any thread, one call at a time.
    func animation(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedAnimation
    /// Loads the encoded original. Throws `.cancelled` if the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The origin and how to get it. The size and the processors have no effect.
    ///   - priority: The priority to follow, in place of that of the request.
    ///   - onProgress: Called with the progress of the download. On any thread, one call at a time.
    func data(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData
}

extension ImageLoaderProtocol {
    public func cacheKey(for request: ImageRequest) -> ImageCacheKey { request.cacheKey }

    public func animation(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedAnimation {
        LoadedAnimation(still: try await image(for: request, following: priority, onProgress: onProgress))
    }

    /// Loads an animation at the priority of the request, without progress.
    public func animation(for request: ImageRequest) async throws(ImageError) -> LoadedAnimation {
        try await animation(for: request, following: LivePriority(request.priority)) { _ in }
    }

    /// Loads an image at the priority of the request. Throws `.cancelled` if the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The origin, the size and how to get it.
    ///   - onProgress: Called with progress and, if requested, previews. On any thread, one call at a time.
    public func image(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedImage {
        try await image(for: request, following: LivePriority(request.priority), onProgress: onProgress)
    }

    /// Loads the encoded original at the priority of the request. Throws `.cancelled` if the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The origin and how to get it. The size and the processors have no effect.
    ///   - onProgress: Called with the progress of the download. On any thread, one call at a time.
    public func data(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedData {
        try await data(for: request, following: LivePriority(request.priority), onProgress: onProgress)
    }
}
