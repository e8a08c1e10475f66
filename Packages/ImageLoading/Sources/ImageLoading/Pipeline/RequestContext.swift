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
    /// Whether the image may be from memory.
    let readsMemory: Bool
    /// The use of the disk cache.
    let cacheUse: CacheUse
    /// Identifies the creation of the image.
    let imageKey: OperationKey
    /// Identifies the download of the original.
    let originalKey: OperationKey
    /// Identifies the request in events and in the results of shared operations.
    let id: UInt64
    let loader: ImageLoader
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
        let original = request.originalKey(key)
        self.original = original
        readsMemory = request.readsMemory
        cacheUse = CacheUse(request)
        let generation = loader.generations.withLock { $0.beginRequest(original) }
        imageKey = OperationKey(.image(key, readsMemory: readsMemory), cacheUse, generation: generation)
        originalKey = OperationKey(.original(original), cacheUse, generation: generation)
    }

    deinit { loader.generations.withLock { $0.endRequest(original) } }

    /// Returns the context of a changed request for the same original, with the same identifier, in its generation now.
    func replacing(_ change: (inout ImageRequest) -> Void) -> RequestContext {
        var request = request
        change(&request)
        let key = request.cacheKey(of: original.identifier, account: original.account)
        return RequestContext(loader, request, key, id: id, start: start)
    }

    /// The start of the newest bytes that have arrived. Stored bytes count as these.
    var newestStart: UInt64 { loader.generations.withLock { $0.newestStart(of: original) } }

    /// Returns whether no newer bytes have arrived than those of an attempt.
    func isCurrent(_ start: UInt64) -> Bool { start >= newestStart }

    /// Returns a result to share.
    func makeResult(
        _ loaded: LoadedData, _ start: UInt64, isStored: Bool = false, _ heads: [ResponseHead] = []
    ) -> OriginalResult {
        OriginalResult(loaded, requestID: id, start: start, isStored: isStored, heads)
    }

    /// Throws if the application may have answered for another account than that of the request.
    func checkAccount() throws(ImageError) {
        guard key.account.hasSameBytes(as: loader.configuration.account?()) else { throw .accountChanged }
    }

    func checkURL() throws(ImageError) { try request.origin.url?.checkIsLoadable() }

    /// Sends an event to the observer.
    func send(_ kind: ImageLoadEvent.Kind) {
        guard let observer = loader.configuration.observer else { return }
        let elapsed = loader.uptime() - start
        observer.handle(ImageLoadEvent(requestID: id, url: request.url, kind: kind, elapsed: elapsed))
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

/// The order of the bytes of originals with requests in progress. The order in which attempts start decides, not that in
/// which they end: older results don't replace newer ones.
///
/// New bytes of a reload also start a new generation, as do `removeCachedImages(for:)`, `cacheImage(_:for:)`
/// and `cacheData(_:for:lifetime:)`. Newer requests don't join
/// operations of an older one.
struct OriginalGenerations: Sendable {
    private struct Entry: Sendable {
        var requestCount = 0
        var generation: UInt64 = 0
        /// The start of the newest bytes that have arrived; 0 for those from before.
        var newestStart: UInt64 = 0
        /// The starts of the images that were stored in memory since then.
        var stored: [ImageCacheKey: UInt64] = [:]
    }

    /// The maximum number of images per original whose starts are remembered. A reload removes another one from memory
    /// even if it is newer.
    private static let maxStored = 64

    private var entries: [OriginalKey: Entry] = [:]
    private var lastStart: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the generation, which is 0 before the first reload.
    func generation(of original: OriginalKey) -> UInt64 { entries[original]?.generation ?? 0 }

    func newestStart(of original: OriginalKey) -> UInt64 { entries[original]?.newestStart ?? 0 }

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

    /// Returns the number of an attempt that starts now.
    mutating func makeStart() -> UInt64 {
        lastStart += 1
        return lastStart
    }

    /// Records that the bytes of an attempt have arrived, and starts a new generation if they are new ones of a reload.
    mutating func receive(_ start: UInt64, of original: OriginalKey, isReload: Bool) {
        guard start > newestStart(of: original) else { return }
        entries[original]?.newestStart = start
        if isReload { entries[original]?.generation += 1 }
    }

    /// Starts a new generation now.
    mutating func startGeneration(of original: OriginalKey) {
        receive(makeStart(), of: original, isReload: true)
    }

    /// Records an image that is stored in memory.
    mutating func store(_ key: ImageCacheKey, _ start: UInt64, of original: OriginalKey) {
        guard let stored = entries[original]?.stored, stored.count < Self.maxStored else { return }
        entries[original]?.stored[key] = start
    }

    /// Returns whether the image in memory is newer than an attempt.
    func hasStored(_ key: ImageCacheKey, after start: UInt64, of original: OriginalKey) -> Bool {
        entries[original]?.stored[key].map { $0 > start } ?? false
    }
}
