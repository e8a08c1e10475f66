public import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Loads pictures: memory cache, disk cache, network; shared, prioritised, decoded straight to size.
///
/// Every part behind it is a port; see `ImageLoaderConfiguration`.
public final class ImageLoader: Sendable {
    let configuration: ImageLoaderConfiguration
    let ledger = Mutex(ReloadLedger())
    let governor: RetryGovernor
    let books = StatisticsBooks()
    let sizes = Mutex(SizeIndex())
    let previewWishes = Mutex(PreviewWishes())
    /// The decoder, if it can show pictures that are coming in.
    let previewingDecoder: (any PreviewingImageDecoder)?
    private let nextID = Atomic<UInt64>(1)
    /// Trims the memory cache while the loader lives.
    private let pressureObservation: MemoryPressureObservation?

    public init(_ configuration: ImageLoaderConfiguration) {
        self.configuration = configuration
        previewingDecoder = configuration.decoder as? any PreviewingImageDecoder
        governor = RetryGovernor(configuration.retryPolicy, clock: configuration.clock)
        pressureObservation = configuration.memoryPressureMonitor?.observe {
            [cache = configuration.memoryCache] level in
            cache?.trim(under: level)
        }
    }

    /// The picture, if the memory cache has it now. Synchronous: costs no task, no actor hop and no placeholder frame.
    ///
    /// Nil also when the request's policy leaves the memory cache out, or when it reloads.
    public func cachedImage(for request: ImageRequest) -> LoadedImage? {
        guard let image = pictureInMemory(request.cacheKey, for: request) else { return nil }
        EventSink.tellHit(self, url: request.url)
        return LoadedImage(image: image, source: .memory, encodedByteCount: nil)
    }

    /// The picture at the size that is asked for.
    ///
    /// Requests for the same picture share the work; requests for other sizes of it share the download. Cancelling the
    /// task ends this request alone; the last one to leave ends the work, down to the socket.
    ///
    /// - Parameter onProgress: told how far the download is, with the latest preview if the request is progressive; on an unspecified thread.
    public func image(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedImage {
        let isProgressive = request.isProgressive
        return try await image(
            for: request,
            Waiting(id: WaiterID(rawValue: newID())) { onProgress(isProgressive ? $0 : $0.withoutPreview) })
    }

    func image(for request: ImageRequest, _ waiting: Waiting) async throws(ImageError) -> LoadedImage {
        let events = EventSink(self, request: waiting.id.rawValue, url: request.url)
        events.send(.started)
        return try await events.concluding { () async throws(ImageError) in
            try request.validate()
            let key = request.cacheKey
            if let image = self.memoryHit(key, for: request, events) {
                return LoadedImage(image: image, source: .memory, encodedByteCount: nil)
            }
            return try await self.sharedImage(key, for: request, waiting, events)
        } source: {
            $0.source
        }
    }

    /// The encoded original.
    ///
    /// - Parameter onProgress: told how far the download is, on an unspecified thread.
    public func data(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedData {
        let events = EventSink(self, request: newID(), url: request.url)
        events.send(.started)
        return try await events.concluding { () async throws(ImageError) in
            try request.validate()
            do {
                return try await self.sharedData(
                    for: request, waiter: WaiterID(rawValue: self.newID()), priority: request.priority, events,
                    onProgress: { onProgress($0.withoutPreview) })
            } catch {
                throw ImageError(error)
            }
        } source: {
            $0.source
        }
    }

    private func memoryHit(_ key: ImageCacheKey, for request: ImageRequest, _ events: EventSink) -> DecodedImage? {
        guard request.readsMemory, configuration.memoryCache != nil else { return nil }
        let image = pictureInMemory(key, for: request)
        events.send(image == nil ? .memoryMiss : .memoryHit)
        return image
    }

    func newID() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// One who waits for a picture.
struct Waiting: Sendable {
    var id: WaiterID
    /// Told when changes of its priority begin to count.
    var onJoin: @Sendable () -> Void = {}
    var onProgress: @Sendable (WorkProgress) -> Void
}

extension ImageRequest {
    /// Throws `.invalidURL` for what no transport could load.
    func validate() throws(ImageError) {
        guard let url else { return }
        guard let scheme = url.scheme?.lowercased() else { throw .invalidURL(url.absoluteString) }
        if scheme == "http" || scheme == "https", url.host()?.isEmpty ?? true {
            throw .invalidURL(url.absoluteString)
        }
    }
}
