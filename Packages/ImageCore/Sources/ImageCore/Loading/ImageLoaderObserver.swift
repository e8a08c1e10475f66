/// Receives an event for each step of each request, including memory hits.
///
/// It is called often and on any thread, so it must return quickly.
public protocol ImageLoaderObserver: Sendable {
    /// Called for each event.
    func handle(_ event: ImageLoadEvent)
}

/// An event of a request.
///
/// Events of an operation belong to the request that started it. Requests that joined have `started`, their memory
/// lookup and their end. If the first request is cancelled while others wait, events of the operation follow its end.
public struct ImageLoadEvent: Hashable, Sendable {
    /// The kind of an event.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// The request was made.
        case started
        /// The memory cache has the image.
        case memoryHit
        /// The memory cache does not have the image.
        case memoryMiss(CacheMiss)
        /// The disk cache has a usable original with this size.
        case diskHit(bytes: Int)
        /// The disk cache has no original that can be used without the network.
        case diskMiss(CacheMiss)
        /// A stale response of the disk cache is used.
        case staleHit(bytes: Int)
        /// The server confirmed the stored response (status 304).
        case validated(bytes: Int)
        /// A newer original replaced a stale one that was shown. Load the image again to show it. It has no request.
        case refreshed
        /// The disk cache failed. The loader continues without it.
        case diskFailed(DataCacheError)
        /// The work waits for a slot in a lane.
        case queued(WorkLane)
        /// The download has its slot and starts.
        case downloadStarted
        /// The number of bytes received, and of the total if the server announced it.
        case received(bytes: Int, of: Int?)
        /// The server says what its caches did (`Cache-Status`, RFC 9211) or how long its work took (`Server-Timing`, W3C).
        case serverReported(cacheStatus: String?, timing: String?)
        /// The download is complete.
        case downloadFinished(bytes: Int)
        /// Decoding has its slot and starts.
        case decodingStarted
        /// An event of the worker processes that decode images. It has no request.
        case worker(WorkerEvent)
        /// The image is decoded, at this size in pixels.
        case decoded(PixelSize)
        /// The processors have their slot and start.
        case processingStarted
        /// The processors were applied.
        case processed
        /// The image was inserted into the memory cache.
        case storedInMemory
        /// The original was stored on disk. HTTP responses have no request.
        case storedOnDisk(bytes: Int)
        /// The download waits, or was interrupted, until memory, the application state and its priority allow it.
        case deferred
        /// The download failed without a network, and waits for one.
        case waitingForNetwork
        /// The request shared the download of another one, which saved this number of bytes.
        case joined(bytes: Int)
        /// The request succeeded. Each request ends with exactly one of `succeeded`, `failed` and `cancelled`.
        case succeeded(ImageSource)
        /// The request failed, for a reason other than `cancelled`.
        case failed(ImageError)
        /// The request was cancelled.
        case cancelled
    }

    /// The number of the request within its loader; nil for events of no request.
    public var requestID: UInt64?
    /// The URL; nil if the original has none.
    public var url: URL?
    /// The kind of an event.
    public var kind: Kind
    /// The time since the request was made, by the loader's clock; zero for events of no request and for memory hits.
    /// Subtract two of them to measure a step, for example `queued` from `downloadStarted`.
    public var elapsed: Duration

    /// Creates an event.
    public init(requestID: UInt64?, url: URL?, kind: Kind, elapsed: Duration = .zero) {
        self.requestID = requestID
        self.url = url
        self.kind = kind
        self.elapsed = elapsed
    }
}
