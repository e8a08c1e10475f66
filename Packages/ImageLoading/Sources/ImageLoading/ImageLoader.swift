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

    @inline(__always)  // one frame less for each who waits
    func image(for request: ImageRequest, _ waiting: Waiting) async throws(ImageError) -> LoadedImage {
        switch begin(request, waiting) {
        case .over(let result): return try result.get()
        case .waits(let wait):
            let loaded: LoadedImage
            do { loaded = try await answer(to: wait) } catch { throw wait.failed(error) }
            return try wait.succeeded(loaded)
        }
    }

    /// What of a request for a picture needs no waiting.
    @inline(never)  // what lives here only has no place in the frame of whoever waits, of whom there are thousands
    private func begin(_ request: ImageRequest, _ waiting: Waiting) -> PictureWait.Beginning {
        let events = EventSink(self, request: waiting.id.rawValue, url: request.url)
        do throws(ImageError) {
            try request.validate()
            let load = Load(request, events)
            let key = load.key
            guard let hit = memoryHit(key, for: load) else {
                let keeps = request.cachePolicy.memory.writes
                return .waits(PictureWait(self, key, load, waiting, request.priority, keeps: keeps))
            }
            try events.succeeded(from: .memory)
            return .over(.success(LoadedImage(image: hit, source: .memory, encodedByteCount: nil)))
        } catch {
            return .over(.failure(events.failed(error)))
        }
    }

    private func memoryHit(_ key: ImageCacheKey, for load: Load) -> DecodedImage? {
        let image = pictureInMemory(key, for: load.request)
        load.events.send(image == nil ? .memoryMiss(memoryMiss(of: key, for: load)) : .memoryHit)
        return image
    }

    /// The encoded original.
    ///
    /// - Parameter onProgress: told how far the download is, on an unspecified thread.
    public func data(
        for request: ImageRequest, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ImageError) -> LoadedData {
        let events = EventSink(self, request: newID(), url: request.url)
        do {
            try request.validate()
            let waiting = Waiting(id: WaiterID(rawValue: newID())) { onProgress($0.withoutPreview) }
            let loaded = try await original(for: Load(request, events), waiting, request.priority)
            try events.succeeded(from: loaded.source)
            return loaded
        } catch {
            throw events.failed(error)
        }
    }

    func newID() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// One who waits for a picture, or an original.
struct Waiting: Sendable {
    var id: WaiterID
    /// Told when changes of its priority begin to count.
    var onJoin: @Sendable () -> Void = {}
    var onProgress: @Sendable (WorkProgress) -> Void
}

extension ImageRequest {
    /// Throws `.invalidURL` for what no transport could load.
    func validate() throws(ImageError) {
        guard let url, !url.isPlainWeb else { return }
        guard let scheme = url.scheme?.lowercased() else { throw .invalidURL(url.absoluteString) }
        if scheme == "http" || scheme == "https", url.host()?.isEmpty ?? true {
            throw .invalidURL(url.absoluteString)
        }
    }
}

extension URL {
    /// True for http and https with a host of letters, digits, dots and hyphens, and a path or nothing after it: what needs no closer
    /// look.
    fileprivate var isPlainWeb: Bool {
        guard hasScheme("http") || hasScheme("https") else { return false }
        let authority = absoluteString.utf8.drop { $0 != UInt8(ascii: "/") }
        guard authority.starts(with: "//".utf8) else { return false }
        let host = authority.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        return !host.isEmpty && host.allSatisfy { $0.isPlainInHost }
    }
}

extension UInt8 {
    fileprivate var isPlainInHost: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
        default: false
        }
    }
}
