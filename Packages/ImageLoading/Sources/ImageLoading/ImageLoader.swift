public import ImageCore
import Synchronization

/// Loads images from the memory cache, the disk cache or the network, and decodes them to the requested size.
///
/// Requests for the same image share all work; requests for other sizes of it share the download. Every part is a protocol
/// that you can implement yourself; see ``ImageLoaderConfiguration``.
public final class ImageLoader: ImageLoaderProtocol {
    let configuration: ImageLoaderConfiguration
    let events: EventRecorder
    let retries: RetryController
    /// Holds downloads back; nil without monitors.
    let gate: DownloadGate?
    let downloads = DownloadsInProgress()
    let reloads = Mutex(ReloadTracker())
    let sizes = Mutex(SizeIndex())
    /// For each image, the number of requests that want previews of it.
    let previewSubscriptions = Mutex<[ImageCacheKey: Int]>([:])
    /// Trims the memory cache while the loader exists.
    private let pressureObservation: MemoryPressureObservation?
    private let conditionObservations: [MonitorObservation]

    public init(_ configuration: ImageLoaderConfiguration) {
        self.configuration = configuration
        events = EventRecorder(observer: configuration.observer)
        retries = RetryController(configuration.retryPolicy, clock: configuration.clock)
        gate = configuration.makeGate()
        pressureObservation = configuration.memoryPressureMonitor?.observe {
            [cache = configuration.memoryCache] level in
            cache?.trim(under: level)
        }
        conditionObservations =
            gate.map { [retries] in
                configuration.observeConditions(for: $0, networkReturned: { retries.networkReturned() })
            } ?? []
    }

    /// Returns the image if it is in the memory cache. Nil if the request bypasses the memory cache.
    public func cachedImage(for request: ImageRequest) -> LoadedImage? {
        guard let image = imageInMemory(request.cacheKey, for: request) else { return nil }
        events.recordMemoryHit(of: request)
        return LoadedImage(image: image, source: .memory, encodedByteCount: nil)
    }

    /// Loads an image.
    ///
    /// If the task is cancelled, this request ends; shared work goes on for others. The last request to leave cancels it,
    /// down to the socket.
    ///
    /// - Parameter onProgress: Called with the progress of the download, and with previews if the request is progressive. On
    ///   any thread, one call at a time.
    public func image(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedImage {
        if !Task.isCancelled, let hit = cachedImage(for: request) { return hit }
        let context = makeContext(for: request)
        return try await image(for: context, LivePriority(context.request.priority), onProgress)
    }

    /// Loads the encoded original.
    ///
    /// - Parameter onProgress: Called with the progress of the download. On any thread, one call at a time.
    public func data(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedData {
        let context = makeContext(for: request)
        do {
            try context.checkURL()
            let loaded = try await originalData(for: context, LivePriority(context.request.priority), onProgress)
            try Task.checkCancellation()
            context.send(.succeeded(loaded.source))
            return loaded
        } catch {
            throw context.failed(error)
        }
    }

    func makeContext(for request: ImageRequest) -> RequestContext { RequestContext(self, request) }
}
