public import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A loader for tests of applications: it answers as scripted, by the request's original, keeps a log, and refuses what no script foresees.
///
/// ```swift
/// let loader = FakeImageLoader()
/// loader.script(request, .image(PixelSize(width: 4, height: 3)))
/// let screen = Gallery(loader: loader)  // which takes `any ImageLoaderProtocol`
/// ```
public final class FakeImageLoader: ImageLoaderProtocol {
    /// What requests for one original get.
    public enum Reply: Sendable {
        case image(DecodedImage)
        case data(Data)
        case failure(ImageError)
        /// What comes when the gate lets it pass, unless the request is cancelled before.
        indirect case held(Gate, Reply)

        /// An image of one straight RGBA colour.
        public static func image(_ size: PixelSize, color: [UInt8] = [200, 100, 50, 255]) -> Reply {
            let pixels = (0..<size.area).flatMap { _ in color }
            return .image(
                DecodedImage(
                    bitmap: Bitmap(size: size, pixels: pixels, isOpaque: color.last == 255),
                    header: ImageHeader(format: .fake, storedSize: size)))
        }
    }

    /// What was asked, in order; the text names the original.
    public enum Message: Hashable, Sendable {
        case cached(String)
        case image(String)
        case data(String)
        /// Asked for although no script says what it gets.
        case unscripted(String)
        case cancelled(String)
    }

    private struct State: Sendable {
        var replies: [String: Reply] = [:]
        var cached: [ImageCacheKey: LoadedImage] = [:]
    }

    public let log = MessageLog<Message>()
    private let state = Mutex(State())

    public init() {}

    /// Sets what requests for this original get, in whatever size, from now on.
    public func script(_ request: ImageRequest, _ reply: Reply) {
        state.withLock { $0.replies[request.original.source] = reply }
    }

    /// Forgets the images that answer at once: those that were loaded.
    public func emptyMemory() { state.withLock { $0.cached = [:] } }

    public func cachedImage(for request: ImageRequest) -> LoadedImage? {
        log.append(.cached(request.original.source))
        guard request.readsMemory else { return nil }
        return state.withLock { $0.cached[request.cacheKey] }
    }

    public func image(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage {
        log.append(.image(request.original.source))
        guard case .image(let image) = try await reply(to: request) else {
            throw unscripted(request, "no image is scripted")
        }
        var hit = LoadedImage(image: image, source: .memory, encodedByteCount: nil)
        if request.cachePolicy.memory.writes { state.withLock { $0.cached[request.cacheKey] = hit } }
        hit.source = .network
        return hit
    }

    public func data(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData {
        log.append(.data(request.original.source))
        guard case .data(let data) = try await reply(to: request) else {
            throw unscripted(request, "no data is scripted")
        }
        onProgress(WorkProgress(completedBytes: data.count, totalBytes: data.count))
        return LoadedData(data: data, source: .network)
    }

    /// The reply when it is due, which is no failure and held no more.
    private func reply(to request: ImageRequest) async throws(ImageError) -> Reply {
        guard var reply = state.withLock({ $0.replies[request.original.source] }) else {
            throw unscripted(request, "nothing is scripted")
        }
        while case .held(let gate, let next) = reply {
            _ = await CancellablePassage().pass(gate)
            reply = next
        }
        if Task.isCancelled {
            log.append(.cancelled(request.original.source))
            throw .cancelled
        }
        if case .failure(let error) = reply { throw error }
        return reply
    }

    private func unscripted(_ request: ImageRequest, _ text: String) -> ImageError {
        log.append(.unscripted(request.original.source))
        return .network(.other, "\(text) for \(request.original.source)")
    }
}
