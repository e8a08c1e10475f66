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
    /// The host, for limits and circuit breakers; nil if the original has no URL.
    let host: String?
    /// Identifies the request in events and in the results of shared operations.
    let id: UInt64
    private let loader: ImageLoader
    private let start: Duration

    /// Creates a context for a new request with this key in the memory cache.
    convenience init(_ loader: ImageLoader, _ request: ImageRequest, _ key: ImageCacheKey) {
        self.init(loader, request, key, id: loader.events.makeID(), start: loader.retries.uptime())
        send(.started)
    }

    private init(_ loader: ImageLoader, _ request: ImageRequest, _ key: ImageCacheKey, id: UInt64, start: Duration) {
        (self.loader, self.request, self.id, self.start) = (loader, request, id, start)
        host = request.origin.url?.host()
        let original = request.original(source: key.source)
        let reload = loader.reloads.withLock { $0.begin(original) }
        let route = FetchRoute(request, original, lastReload: reload)
        dataKey = DataJobKey(original: original, route: route)
        imageKey = ImageJobKey(image: key, route: route, readsMemory: request.readsMemory)
    }

    deinit { loader.reloads.withLock { $0.end(original) } }

    /// Returns the context of a changed request for the same original, with the same identifier.
    func replacing(_ change: (inout ImageRequest) -> Void) -> RequestContext {
        var request = request
        change(&request)
        return RequestContext(loader, request, request.cacheKey, id: id, start: start)
    }

    /// The image's key in the memory cache.
    var key: ImageCacheKey { imageKey.image }
    var original: Original { dataKey.original }
    var route: FetchRoute { dataKey.route }

    /// Returns whether no later reload has outdated a result.
    ///
    /// - Parameter reload: The number of the last reload that the result includes.
    func isCurrent(_ reload: UInt64) -> Bool { loader.reloads.withLock { $0.lastReload(of: original) } == reload }

    /// Returns a result to share. `reload` is the reload that received the bytes, or nil if none did.
    func result(_ loaded: LoadedData, reload: UInt64? = nil) -> DataJobResult {
        DataJobResult(loaded: loaded, requestID: id, reload: reload ?? route.lastReload)
    }

    func checkURL() throws(ImageError) { try request.origin.url?.checkIsLoadable() }

    /// Counts an event and sends it to the observer.
    func send(_ kind: ImageLoadEvent.Kind) {
        loader.events.record(kind, id: id, of: request) { loader.retries.uptime() - start }
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

/// Identifies the download of an original. Requests with equal keys share it.
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
    /// The number of the reload that received the bytes, or of the last one before they were requested.
    let reload: UInt64
}

/// An image that requests share.
public struct ImageJobResult: Sendable {
    var loaded: LoadedImage
    /// The request that started the work.
    var requestID: UInt64
    /// See `DataJobResult.reload`.
    let reload: UInt64
    /// Whether the image is in the memory cache.
    var isInMemory = false
}

/// The use of the disk cache and the network by a request for an original.
public struct FetchRoute: Hashable, Sendable {
    /// Access to the disk cache.
    public let disk: CacheAccess
    /// The stored data that can be used.
    public let mode: ImageLoadMode
    /// The number of the original's last reload when the request started. Prevents it from joining older work.
    let lastReload: UInt64

    init(_ request: ImageRequest) { self.init(request, request.original, lastReload: 0) }

    init(_ request: ImageRequest, _ original: Original, lastReload: UInt64) {
        self.lastReload = lastReload
        let isLocal = original.isLocal
        disk = isLocal ? .none : request.cachePolicy.disk
        mode = isLocal && request.mode == .onlyIfCached ? .standard : request.mode
    }

    var isOffline: Bool { mode == .onlyIfCached }

    /// The use of the transport cache by a request that needs the network.
    var cacheUse: CacheUse {
        switch disk {
        case .readWrite: mode == .reload ? .reload : .standard
        case .writeOnly: .reload
        case .readOnly, .none: .bypass
        }
    }

    /// Whether the disk cache can be used without the network.
    var readsDisk: Bool { disk.reads && !mode.asksOrigin }
}

/// Counts the reloads of originals with requests in progress, so that the result of older work doesn't replace that of
/// a reload, and newer requests don't join older work.
struct ReloadTracker: Sendable {
    private struct Entry: Sendable {
        var requestCount = 0
        var reloadCount: UInt64 = 0
    }

    private var entries: [Original: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the number of the last reload, or 0 if there was none.
    func lastReload(of original: Original) -> UInt64 { entries[original]?.reloadCount ?? 0 }

    /// Adds a request. Returns the number of the last reload.
    mutating func begin(_ original: Original) -> UInt64 {
        entries[original, default: Entry()].requestCount += 1
        return lastReload(of: original)
    }

    mutating func end(_ original: Original) {
        guard let index = entries.index(forKey: original) else { return }
        entries.values[index].requestCount -= 1
        if entries.values[index].requestCount == 0 { entries.remove(at: index) }
    }

    /// Records a reload and returns its number. Bytes of the original with a lower number are outdated.
    mutating func markReloaded(_ original: Original) -> UInt64 {
        entries[original]?.reloadCount += 1
        return lastReload(of: original)
    }
}
