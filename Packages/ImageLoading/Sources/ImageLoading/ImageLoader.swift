public import ImageCore
import ImageTransporting
import Synchronization

/// Loads images from the memory cache, the disk cache or the network, and decodes them to the requested size.
///
/// Requests for the same image share all operations, and requests for other sizes of it share the download. Operations are
/// cancelled, down to the socket, with their last request. You can replace each component; see ``ImageLoaderParts``.
public final class ImageLoader: ImageLoaderProtocol {
    let configuration: ImageLoaderParts
    /// That of the configuration.
    let transport: any ResponseCache
    private let lastRequestID = Atomic<UInt64>(0)
    /// The time since the loader was created.
    let uptime: @Sendable () -> Duration
    let retryController: RetryController
    /// Nil without monitors.
    let gate: DownloadGate?
    /// The received bytes of downloads in progress, for previews.
    let incoming = Mutex<[OperationKey: ReceivedBytes]>([:])
    let generations = Mutex(OriginalGenerations())
    let animations: AnimationRegistry
    let fetchDependencies = Mutex(FetchDependencies())
    /// The number of requests, by image, that want previews.
    let previewSubscriptions = Mutex<[ImageCacheKey: Int]>([:])
    /// Trims the memory cache and animations while the loader exists.
    private let pressureObservation: ChangeObservation?
    /// Trims the memory cache while the loader exists.
    private let backgroundObservation: ChangeObservation?
    private let conditionObservations: [ChangeObservation]

    /// Creates a loader with the given components.
    public init(_ configuration: ImageLoaderParts) {
        self.configuration = configuration
        transport = configuration.transport
        uptime = stopwatch(configuration.clock)
        retryController = RetryController(configuration.retryPolicy)
        gate = configuration.makeGate()
        animations = AnimationRegistry(byteLimit: configuration.animationByteLimit)
        pressureObservation = configuration.memoryPressureMonitor?.observe {
            [cache = configuration.memoryCache, animations] level in
            cache?.trim(under: level)
            animations.memoryChanged(to: level)
        }
        animations.memoryChanged(to: configuration.memoryPressureMonitor?.condition ?? .normal)
        backgroundObservation = configuration.applicationStateMonitor?.observe {
            [cache = configuration.memoryCache] state in
            if state == .background { cache?.trim(toShare: 0.25) }
        }
        conditionObservations = gate.map { configuration.observeConditions(for: $0) } ?? []
    }

    /// Returns the image if it is in the memory cache. Returns nil if the request bypasses the memory cache.
    public func cachedImage(for request: ImageRequest) -> LoadedImage? {
        let request = chosen(request)
        return memoryHit(cacheKey(for: request), for: request)
    }

    /// Returns the key of a request in the memory cache, by `urlIdentifier` and `account` of ``ImageLoaderParts``. With
    /// variants, it is that of the variant.
    public func cacheKey(for request: ImageRequest) -> ImageCacheKey {
        chosen(request).cacheKey(urlIdentifier: configuration.urlIdentifier, account: configuration.account?())
    }

    func makeRequestID() -> UInt64 { lastRequestID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// - Parameter key: The key of the request in the memory cache.
    func memoryHit(_ key: ImageCacheKey, for request: ImageRequest) -> LoadedImage? {
        guard let hit = imageInMemory(key, for: request) else { return nil }
        if let observer = configuration.observer {
            let id = makeRequestID()
            for kind: ImageLoadEvent.Kind in [.started, .memoryHit, .succeeded(.memory)] {
                observer.handle(ImageLoadEvent(requestID: id, url: request.url, kind: kind))
            }
        }
        return hit
    }

    /// Returns the image if it is in memory and the request can use it. Sends no events.
    func imageInMemory(_ key: ImageCacheKey, for request: ImageRequest) -> LoadedImage? {
        guard request.readsMemory, let image = configuration.memoryCache?.image(for: key) else { return nil }
        return LoadedImage(decoded: image, source: .memory, encodedByteCount: nil)
    }

    public func image(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage {
        switch lookUp(request) {
        case .hit(let image): return image
        case .miss(let context): return try await result(for: context, priority, onProgress).get().loaded
        }
    }

    private enum MemoryLookup {
        case hit(LoadedImage)
        case miss(RequestContext)
    }

    /// Looks a request up in memory. A function of its own, so that the caller doesn't keep the request while it waits.
    private func lookUp(_ request: ImageRequest) -> MemoryLookup {
        let request = chosen(request)
        let key = cacheKey(for: request)
        if !Task.isCancelled, let hit = memoryHit(key, for: request) { return .hit(hit) }
        return .miss(RequestContext(self, request, key))
    }

    public func data(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData {
        let request = chosen(request)
        return try await data(for: request, cacheKey(for: request), priority, onProgress)
    }

    func data(
        for request: ImageRequest, _ key: ImageCacheKey, _ priority: LivePriority,
        _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData {
        let context = RequestContext(self, request, key)
        do {
            try context.checkURL()
            let original = try await awaitingResult(for: context) {
                try await originalData(for: context, priority, onProgress)
            }
            try Task.checkCancellation()
            var loaded = original.loaded
            if request.url != nil, !context.original.isLocal {
                loaded.responses = original.heads.map { OriginalResponse($0) }
            }
            context.send(.succeeded(loaded.source))
            return loaded
        } catch {
            throw context.failed(error)
        }
    }
}
