public import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request in progress and the recipient of its events. All work of the request retains its context, and while the
/// context exists, its original counts as in progress.
final class RequestContext: Sendable {
    let request: ImageRequest
    /// Identifies the image, in the memory cache and among shared operations.
    let imageKey: ImageJobKey
    /// Identifies the original among shared operations.
    let dataKey: DataJobKey
    /// The host, for limits; nil if the original has no URL.
    let host: String?
    /// Identifies the request in events and in the results of shared operations.
    let id: UInt64
    private let loader: ImageLoader
    private let start: Duration

    /// Creates a context for a new request with this key in the memory cache.
    convenience init(_ loader: ImageLoader, _ request: ImageRequest, _ key: ImageCacheKey) {
        self.init(loader, request, key, id: loader.events.makeID(), start: loader.retryController.uptime())
        send(.started)
    }

    private init(_ loader: ImageLoader, _ request: ImageRequest, _ key: ImageCacheKey, id: UInt64, start: Duration) {
        (self.loader, self.request, self.id, self.start) = (loader, request, id, start)
        host = request.origin.url?.host()
        let original = request.original(source: key.source)
        let generation = loader.reloads.withLock { $0.beginRequest(original) }
        let route = FetchRoute(request, generation: generation)
        dataKey = DataJobKey(original: original, route: route)
        imageKey = ImageJobKey(image: key, route: route, readsMemory: request.readsMemory)
    }

    deinit { loader.reloads.withLock { $0.endRequest(original) } }

    /// Returns the context of a changed request for the same original, with the same identifier, in its generation now.
    func replacing(_ change: (inout ImageRequest) -> Void) -> RequestContext {
        var request = request
        change(&request)
        return RequestContext(loader, request, request.cacheKey(source: original.source), id: id, start: start)
    }

    /// The image's key in the memory cache.
    var key: ImageCacheKey { imageKey.image }
    var original: Original { dataKey.original }
    var route: FetchRoute { dataKey.route }

    /// Returns whether a result of this generation is the newest.
    func isCurrent(_ generation: UInt64) -> Bool {
        loader.reloads.withLock { $0.generation(of: original) == generation }
    }

    /// Returns a result to share. `generation` is that of a reload's bytes; nil for that of the request.
    func makeResult(_ loaded: LoadedData, generation: UInt64? = nil) -> DataJobResult {
        DataJobResult(loaded: loaded, requestID: id, generation: generation ?? route.generation)
    }

    func checkURL() throws(ImageError) { try request.origin.url?.checkIsLoadable() }

    /// Counts an event and sends it to the observer.
    func send(_ kind: ImageLoadEvent.Kind) {
        loader.events.record(kind, id: id, of: request) { loader.retryController.uptime() - start }
    }

    /// Sends an event if the bytes are from a download that another request, `starter`, has started.
    func sendJoined(_ starter: UInt64, _ source: ImageSource, bytes: Int?) {
        guard source == .network, starter != id, let bytes else { return }
        send(.joined(bytes: bytes))
    }

    /// Sends the last event of a failed or cancelled request, and returns its error.
    func failed(_ error: any Error) -> ImageError {
        let error = Task.isCancelled ? .cancelled : ImageError(error)
        if case .cancelled = error { send(.cancelled) } else { send(.failed(error.description)) }
        return error
    }
}

/// Identifies the download of an original. Requests with equal keys share it, for images of any size.
public struct DataJobKey: Hashable, Sendable {
    let original: Original
    /// The use of the disk cache and the network.
    public let route: FetchRoute

    /// Identifies the original.
    public var source: String { original.source }

    /// Hashes the original only, because requests for one original rarely differ in the rest.
    public func hash(into hasher: inout Hasher) { hasher.combine(original) }
}

/// Identifies the creation of an image. Requests with equal keys share it.
public struct ImageJobKey: Hashable, Sendable {
    /// The key of the image in the memory cache.
    public let image: ImageCacheKey
    /// The use of the disk cache and the network.
    public let route: FetchRoute
    /// Whether the memory cache can be used.
    public let readsMemory: Bool

    /// Hashes the image only, because requests for one image rarely differ in the rest.
    public func hash(into hasher: inout Hasher) { hasher.combine(image) }
}

/// An original that requests share.
public struct DataJobResult: Sendable {
    let loaded: LoadedData
    /// The request that started the download.
    let requestID: UInt64
    /// The generation of the bytes. See `ReloadTracker`.
    let generation: UInt64
}

/// An image that requests share.
public struct ImageJobResult: Sendable {
    var loaded: LoadedImage
    /// The request that started the work.
    var requestID: UInt64
    /// The generation of the original's bytes.
    let generation: UInt64
    /// Whether the image is in the memory cache.
    var isInMemory = false
}

/// The use of the disk cache and the network by a request for an original.
public struct FetchRoute: Hashable, Sendable {
    /// Access to the disk cache.
    public let disk: CacheAccess
    /// The stored data that can be used.
    public let mode: ImageLoadMode
    /// The original's generation when the request started. Prevents it from joining older work.
    let generation: UInt64

    init(_ request: ImageRequest, generation: UInt64 = 0) {
        self.generation = generation
        let isLocal = request.origin.isLocal
        disk = isLocal ? .none : request.cachePolicy.disk
        mode = isLocal && request.mode == .onlyIfCached ? .standard : request.mode
    }

    var isCacheOnly: Bool { mode == .onlyIfCached }

    /// The use of the cache by the first attempt.
    var cacheUse: CacheUse {
        switch disk {
        case .readWrite where isCacheOnly: .onlyIfCached
        case .readWrite: mode == .reload ? .reload : mode == .retry ? .revalidate : .standard
        case .readOnly where isCacheOnly: .onlyIfCached
        case .readOnly: readsDisk ? .readOnly : .bypass
        case .writeOnly: .reload
        case .none: .bypass
        }
    }

    /// The use of the cache by an attempt after a failure, which the cache may have stored.
    var cacheUseOfRetry: CacheUse {
        switch disk {
        case .readWrite: mode == .reload ? .reload : .revalidate
        case .writeOnly: .reload
        case .readOnly, .none: .bypass
        }
    }

    /// Whether the disk cache can be used without the network.
    var readsDisk: Bool { disk.reads && !mode.asksOrigin && mode != .retry }
}

/// The generations of originals with requests in progress. A reload that receives new bytes starts a new generation, and
/// so does `remove(_:)` or `insert(_:for:)`.
/// Results of older ones don't replace newer results, and newer requests don't join older work.
struct ReloadTracker: Sendable {
    private struct Entry: Sendable {
        var requestCount = 0
        var generation: UInt64 = 0
    }

    private var entries: [Original: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the generation, which is 0 before the first reload.
    func generation(of original: Original) -> UInt64 { entries[original]?.generation ?? 0 }

    /// Adds a request. Returns the generation.
    mutating func beginRequest(_ original: Original) -> UInt64 {
        entries[original, default: Entry()].requestCount += 1
        return generation(of: original)
    }

    mutating func endRequest(_ original: Original) {
        guard let index = entries.index(forKey: original) else { return }
        entries.values[index].requestCount -= 1
        if entries.values[index].requestCount == 0 { entries.remove(at: index) }
    }

    /// Starts a new generation and returns it.
    mutating func markReloaded(_ original: Original) -> UInt64 {
        entries[original]?.generation += 1
        return generation(of: original)
    }
}
