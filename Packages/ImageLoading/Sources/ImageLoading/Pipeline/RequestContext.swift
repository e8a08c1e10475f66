import ImageCore
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

    /// Creates a context for a new request.
    convenience init(_ loader: ImageLoader, _ request: ImageRequest) {
        self.init(loader, request, id: loader.events.makeID(), start: loader.retries.uptime())
        send(.started)
    }

    private init(_ loader: ImageLoader, _ request: ImageRequest, id: UInt64, start: Duration) {
        (self.loader, self.request, self.id, self.start) = (loader, request, id, start)
        host = request.url?.host()
        let original = request.original
        let reload = loader.reloads.withLock { $0.begin(original) }
        let route = FetchRoute(request, original, lastReload: reload)
        dataKey = DataJobKey(original: original, route: route)
        let imageKey = request.cacheKey(source: original.source)
        self.imageKey = ImageJobKey(image: imageKey, route: route, readsMemory: request.readsMemory)
    }

    deinit { loader.reloads.withLock { $0.end(original) } }

    /// Returns the context of a changed request for the same original, with the same identifier.
    func replacing(_ change: (inout ImageRequest) -> Void) -> RequestContext {
        var request = request
        change(&request)
        return RequestContext(loader, request, id: id, start: start)
    }

    /// The image's key in the memory cache.
    var key: ImageCacheKey { imageKey.image }
    var original: Original { dataKey.original }
    var route: FetchRoute { dataKey.route }

    /// Returns whether no later reload has outdated a result.
    ///
    /// - Parameter reload: The number of the last reload that the result includes.
    func isCurrent(_ reload: UInt64) -> Bool { loader.reloads.withLock { $0.lastReload(of: original) } == reload }

    /// Returns a result to share. `lastReload` is the reload that received the bytes, or nil if none did.
    func result(_ loaded: LoadedData, lastReload: UInt64? = nil) -> DataJobResult {
        DataJobResult(loaded: loaded, requestID: id, lastReload: lastReload ?? route.lastReload)
    }

    func checkURL() throws(ImageError) { try request.url?.checkIsLoadable() }

    // MARK: Events

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
