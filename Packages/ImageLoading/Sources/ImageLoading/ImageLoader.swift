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
public final class ImageLoader: PictureLoader {
    let configuration: ImageLoaderConfiguration
    let ledger = Mutex(ReloadLedger())
    let governor: RetryGovernor
    let books = StatisticsBooks()
    let sizes = Mutex(SizeIndex())
    let previewWishes = Mutex(PreviewWishes())
    /// Whether an observer is told of each request.
    let isObserved: Bool
    /// Whether there is a memory cache. A look at the port itself is a copy of it.
    let hasMemoryCache: Bool
    /// The decoder, if it can show pictures that are coming in.
    let previewingDecoder: (any PreviewingImageDecoder)?
    private let nextID = Atomic<UInt64>(1)
    /// Where downloads wait for better conditions; nil when nobody tells of any.
    let door: DownloadDoor?
    /// Trims the memory cache while the loader lives.
    private let pressureObservation: MemoryPressureObservation?
    private let conditionObservations: [MonitorObservation]

    public init(_ configuration: ImageLoaderConfiguration) {
        self.configuration = configuration
        isObserved = configuration.observer != nil
        hasMemoryCache = configuration.memoryCache != nil
        previewingDecoder = configuration.decoder as? any PreviewingImageDecoder
        governor = RetryGovernor(configuration.retryPolicy, clock: configuration.clock)
        pressureObservation = configuration.memoryPressureMonitor?.observe {
            [cache = configuration.memoryCache] level in
            cache?.trim(under: level)
        }
        door = configuration.makeDoor()
        conditionObservations =
            door.map { [governor] in
                configuration.observeConditions(for: $0, networkReturned: { governor.networkReturned() })
            } ?? []
    }

    /// The picture, if the memory cache has it now. Synchronous: costs no task, no actor hop and no placeholder frame.
    ///
    /// Nil also when the request's policy leaves the memory cache out, or when it reloads.
    public func cachedImage(for request: ImageRequest) -> LoadedImage? {
        guard let image = pictureInMemory(request.cacheKey, for: request) else { return nil }
        tellHit(request)
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
        switch begin(request, id: newID(), isCancelled: Task.isCancelled) {
        case .over(let result): return try result.get()
        case .waits(let load):
            let isProgressive = request.isProgressive
            let answer = PictureAnswer(lendsThread: request.url != nil) {
                onProgress(isProgressive ? $0 : $0.withoutPreview)
            }
            let loaded: LoadedImage
            do { loaded = try await answer.value { join(load, as: answer, request.priority) } } catch {
                throw load.ended(with: error, isCancelled: Task.isCancelled)
            }
            try load.ended(with: loaded, isCancelled: Task.isCancelled)
            return loaded
        }
    }

    /// What of a request for a picture needs no waiting.
    @inline(never)  // what lives here only has no place in the frame of whoever waits, of whom there are thousands
    func begin(_ request: ImageRequest, id: UInt64, isCancelled: Bool) -> Load.Beginning {
        let key = request.cacheKey
        if let image = pictureInMemory(key, for: request), !isCancelled {
            tellHit(request, id: id)
            return .over(.success(LoadedImage(image: image, source: .memory, encodedByteCount: nil)))
        }
        let load = Load(self, request, key, id: id)
        do throws(ImageError) {
            try request.validate(load.original)
        } catch {
            return .over(.failure(load.failed(error, isCancelled: isCancelled)))
        }
        load.send(.memoryMiss(memoryMiss(of: key, for: load)))
        load.beganWait()
        return .waits(load)
    }

    /// The encoded original.
    ///
    /// - Parameter onProgress: told how far the download is, on an unspecified thread.
    public func data(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedData {
        let load = Load(self, request, request.cacheKey, id: newID())
        do {
            try request.validate(load.original)
            let loaded = try await original(for: load, request.priority) { onProgress($0.withoutPreview) }
            try load.succeeded(from: loaded.source, isCancelled: Task.isCancelled)
            return loaded
        } catch {
            throw load.failed(error, isCancelled: Task.isCancelled)
        }
    }

    var lanes: Lanes { Lanes(scheduler: configuration.scheduler) }

    func newID() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }
}

extension ImageRequest {
    /// Throws `.invalidURL` for what no transport could load.
    ///
    /// - Parameter original: the request's.
    func validate(_ original: Original) throws(ImageError) {
        guard !original.isPlainWeb, let url else { return }
        guard let scheme = url.scheme?.lowercased() else { throw .invalidURL(url.absoluteString) }
        if scheme == "http" || scheme == "https", url.host()?.isEmpty ?? true {
            throw .invalidURL(url.absoluteString)
        }
    }
}
