public import ImageCore
import Synchronization

/// A loader for tests of apps. It returns scripted replies and logs its calls.
///
/// Replies are scripted for the original of a request. A request without a script fails.
///
/// ```swift
/// let loader = FakeImageLoader()
/// loader.script(.image(PixelSize(width: 4, height: 3)), for: request)
/// let gallery = Gallery(loader: loader)  // takes `any ImageLoaderProtocol`
/// ```
public final class FakeImageLoader: ImageLoaderProtocol {
    /// The reply to requests for an original.
    public enum Reply: Sendable {
        /// An image.
        case image(DecodedImage)
        /// An animation, and its first frame.
        case animation(DecodedImage, any AnimationFrames)
        /// The data of the original, and the responses that led to it.
        case data(Data, responses: [OriginalResponse] = [])
        /// An error.
        case failure(ImageError)
        /// A reply that waits at a gate, unless the request is cancelled.
        indirect case held(TestGate, Reply)

        /// Returns a reply with an animation of a frame of each size, which repeats forever.
        public static func animation(_ sizes: [PixelSize], delay: Duration) -> Reply {
            let bitmaps = sizes.map { bitmap($0, color: [200, 100, 50, 255]) }
            let delays = sizes.map { _ in delay }
            let header = ImageHeader(
                format: .fake, storedSize: sizes[0], frameCount: sizes.count, frameDelays: delays, loopCount: 0)
            return .animation(
                DecodedImage(bitmap: bitmaps[0], header: header),
                DecodedFrames(bitmaps, delays: delays, loopCount: 0))
        }

        /// Returns a reply with an image of a single color, in straight RGBA.
        public static func image(_ size: PixelSize, color: [UInt8] = [200, 100, 50, 255]) -> Reply {
            .image(
                DecodedImage(bitmap: bitmap(size, color: color), header: ImageHeader(format: .fake, storedSize: size)))
        }

        private static func bitmap(_ size: PixelSize, color: [UInt8]) -> Bitmap {
            let pixels = (0..<size.area).flatMap { _ in color }
            return Bitmap(size: size, pixels: pixels, isOpaque: color.last == 255)
        }
    }

    /// A call of the loader, or its result. The string is the original of the request.
    public enum Message: Hashable, Sendable {
        /// A call of `cachedImage`.
        case cached(String)
        /// A call of `image`.
        case image(String)
        /// A call of `data`.
        case data(String)
        /// A request without a script for its original.
        case unscripted(String)
        /// A request that was cancelled.
        case cancelled(String)
    }

    private struct State: Sendable {
        var replies: [String: Reply] = [:]
        var cached: [ImageCacheKey: LoadedImage] = [:]
    }

    private let log = MessageLog<Message>()
    private let state = Mutex(State())

    /// Creates a loader without scripts and cached images.
    public init() {}

    /// All calls so far, in order.
    public var messages: [Message] { log.messages }

    /// Waits until there were `count` messages in total, or until the task is cancelled.
    public func waitForMessages(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await log.waitForCount(count, file: file, line: line)
    }

    /// Sets the reply to requests for this original, at any size.
    public func script(_ reply: Reply, for request: ImageRequest) {
        state.withLock { $0.replies[request.original.identifier] = reply }
    }

    /// Removes the loaded images from the memory cache.
    public func removeCachedImages() { state.withLock { $0.cached = [:] } }

    public func cachedImage(for request: ImageRequest) -> LoadedImage? {
        log.append(.cached(request.original.identifier))
        guard request.readsMemory else { return nil }
        return state.withLock { $0.cached[request.cacheKey] }
    }

    public func image(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage {
        log.append(.image(request.original.identifier))
        switch try await reply(to: request) {
        case .image(let image), .animation(let image, _):
            var hit = LoadedImage(decoded: image, source: .memory, encodedByteCount: nil)
            if request.cachePolicy.memory.writes { state.withLock { $0.cached[request.cacheKey] = hit } }
            hit.source = .network
            return hit
        default: throw unscripted(request, "no image is scripted")
        }
    }

    public func animation(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedAnimation {
        let image = try await image(for: request, following: priority, onProgress: onProgress)
        guard case .animation(_, let frames) = try await reply(to: request) else {
            return LoadedAnimation(still: image)
        }
        return LoadedAnimation(firstFrame: image, frames: frames)
    }

    public func data(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData {
        log.append(.data(request.original.identifier))
        guard case .data(let data, let responses) = try await reply(to: request) else {
            throw unscripted(request, "no data is scripted")
        }
        onProgress(WorkProgress(completedByteCount: data.count, totalByteCount: data.count))
        return LoadedData(data: data, source: .network, responses: responses)
    }

    /// Returns the reply after its gates are open. Throws if it is a failure or if the request is cancelled.
    private func reply(to request: ImageRequest) async throws(ImageError) -> Reply {
        guard var reply = state.withLock({ $0.replies[request.original.identifier] }) else {
            throw unscripted(request, "nothing is scripted")
        }
        while case .held(let gate, let next) = reply {
            _ = await gate.passUnlessCancelled()
            reply = next
        }
        if Task.isCancelled {
            log.append(.cancelled(request.original.identifier))
            throw .cancelled
        }
        if case .failure(let error) = reply { throw error }
        return reply
    }

    private func unscripted(_ request: ImageRequest, _ text: String) -> ImageError {
        log.append(.unscripted(request.original.identifier))
        return .network(.other, "\(text) for \(request.original.identifier)")
    }
}
