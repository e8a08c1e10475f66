import ImageCore
import ImageTransporting
import Synchronization

/// A request in progress and the recipient of its events. All operations of the request retain its context, and while the
/// context exists, its original counts as in progress.
final class RequestContext: Sendable {
    let request: ImageRequest
    /// Identifies the image in the memory cache.
    let key: ImageCacheKey
    let original: OriginalKey
    let storage: StorageRules
    /// Identifies the request in events and in the results of shared operations.
    let id: UInt64
    private let loader: ImageLoader
    private let start: Duration

    /// Creates a context for a new request with this key in the memory cache.
    convenience init(_ loader: ImageLoader, _ request: ImageRequest, _ key: ImageCacheKey) {
        self.init(loader, request, key, id: loader.makeRequestID(), start: loader.uptime())
        send(.started)
    }

    private init(_ loader: ImageLoader, _ request: ImageRequest, _ key: ImageCacheKey, id: UInt64, start: Duration) {
        self.loader = loader
        self.request = request
        self.key = key
        self.id = id
        self.start = start
        let original = request.originalKey(key.identifier)
        self.original = original
        storage = StorageRules(request, generation: loader.generations.withLock { $0.beginRequest(original) })
    }

    deinit { loader.generations.withLock { $0.endRequest(original) } }

    /// Returns the context of a changed request for the same original, with the same identifier, in its generation now.
    func replacing(_ change: (inout ImageRequest) -> Void) -> RequestContext {
        var request = request
        change(&request)
        return RequestContext(
            loader, request, request.cacheKey(originalIdentifier: original.identifier), id: id, start: start)
    }

    /// Identifies the creation of the image.
    var imageKey: OperationKey { OperationKey(.image(key, readsMemory: request.readsMemory), storage) }
    /// Identifies the download of the original.
    var originalKey: OperationKey { OperationKey(.original(original), storage) }

    /// Returns whether a result of this generation is the newest.
    func isCurrent(_ generation: UInt64) -> Bool {
        loader.generations.withLock { $0.generation(of: original) == generation }
    }

    /// Returns a result to share, in the generation of the request.
    func makeResult(_ loaded: LoadedData, isStored: Bool = false) -> OriginalResult {
        OriginalResult(loaded: loaded, requestID: id, generation: storage.generation, isStored: isStored)
    }

    func checkURL() throws(ImageError) { try request.origin.url?.checkIsLoadable() }

    /// Sends an event to the observer.
    func send(_ kind: ImageLoadEvent.Kind) {
        guard let observer = loader.configuration.observer else { return }
        let elapsed = loader.uptime() - start
        observer.handle(ImageLoadEvent(request: id, url: request.url, kind: kind, elapsed: elapsed))
    }

    /// Sends an event if the bytes are from a download that another request, `starter`, has started.
    func sendJoined(_ starter: UInt64, _ source: ImageSource, bytes: Int?) {
        guard source == .network, starter != id, let bytes else { return }
        send(.joined(bytes: bytes))
    }

    /// Sends the last event of a failed or cancelled request, and returns its error.
    func failed(_ error: any Error) -> ImageError {
        let error = Task.isCancelled ? .cancelled : ImageError(error)
        if case .cancelled = error { send(.cancelled) } else { send(.failed(error)) }
        return error
    }
}

/// The generations of originals with requests in progress. New bytes of a reload start a new one, as do `remove(_:)`
/// and `insert(_:for:)`. Older results don't replace newer ones, and newer requests don't join older operations.
struct OriginalGenerations: Sendable {
    private struct Entry: Sendable {
        var requestCount = 0
        var generation: UInt64 = 0
    }

    private var entries: [OriginalKey: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the generation, which is 0 before the first reload.
    func generation(of original: OriginalKey) -> UInt64 { entries[original]?.generation ?? 0 }

    /// Adds a request. Returns the generation.
    mutating func beginRequest(_ original: OriginalKey) -> UInt64 {
        entries[original, default: Entry()].requestCount += 1
        return generation(of: original)
    }

    mutating func endRequest(_ original: OriginalKey) {
        guard let index = entries.index(forKey: original) else { return }
        entries.values[index].requestCount -= 1
        if entries.values[index].requestCount == 0 { entries.remove(at: index) }
    }

    /// Starts a new generation and returns it.
    mutating func startGeneration(of original: OriginalKey) -> UInt64 {
        entries[original]?.generation += 1
        return generation(of: original)
    }
}
