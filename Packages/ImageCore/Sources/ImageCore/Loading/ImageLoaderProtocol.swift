/// What an application asks of a loader, so that its own code can be tested with another: `ImageLoader` is one, `FakeImageLoader` of
/// ImageTesting another. Who wants tasks with events, a live priority or handlers takes `ImageLoader` itself.
///
/// Promises:
/// - `cachedImage` is synchronous and starts nothing: nil is no failure.
/// - Each request ends once: with what was asked for, or with an `ImageError`.
/// - Cancelling the task that waits ends the request with `.cancelled`, and no other request.
/// - `onProgress` is called on any thread, and not after the request has ended.
public protocol ImageLoaderProtocol: Sendable {
    /// The image, if it is at hand.
    func cachedImage(for request: ImageRequest) -> LoadedImage?
    func image(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage
    /// The encoded original.
    func data(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData
}

extension ImageLoaderProtocol {
    /// The image at the size that is asked for.
    public func image(for request: ImageRequest) async throws(ImageError) -> LoadedImage {
        try await image(for: request, onProgress: { _ in })
    }

    /// The encoded original.
    public func data(for request: ImageRequest) async throws(ImageError) -> LoadedData {
        try await data(for: request, onProgress: { _ in })
    }
}
