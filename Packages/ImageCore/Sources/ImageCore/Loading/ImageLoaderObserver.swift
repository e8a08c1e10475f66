#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Is told every step of every request, on hits too.
///
/// Called from whatever thread the step happens on, often: return quickly. Without an observer nothing is made to be told.
public protocol ImageLoaderObserver: Sendable {
    func handle(_ event: ImageLoadEvent)
}

/// One fact about one request.
///
/// What requests share is told once, under the request that started it: those that joined have `started`, their look into
/// memory and their end. If the starter is cancelled while others wait, its shared work's events come after its end.
public struct ImageLoadEvent: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case started
        case memoryHit
        case memoryMiss(CacheMiss)
        case diskHit(bytes: Int)
        /// The disk cache has nothing that may be shown without asking the origin.
        case diskMiss(CacheMiss)
        /// The disk cache's answer is shown although it is out of date.
        case staleHit(bytes: Int)
        /// The origin confirmed what the disk cache has, in place of sending it.
        case validated(bytes: Int)
        /// A newer original came after a stale one was shown: loading it again shows it. Told of no request.
        case refreshed
        /// The disk cache failed; the loader goes on without it.
        case diskFailed(DataCacheFailure)
        /// The work waits for its place in a lane: a download, a decode, the steps after it.
        case queued(WorkLane)
        case downloadStarted
        /// So many bytes of the original are here, of how many, if the origin said so.
        case received(bytes: Int, of: Int?)
        case downloadFinished(bytes: Int)
        case decodingStarted
        case decoded(PixelSize)
        /// The steps after decoding have been applied.
        case processed
        /// The image was given to the memory cache.
        case keptInMemory
        /// The original is on disk. Of what comes over HTTP told of no request.
        case keptOnDisk(bytes: Int)
        /// The download is held back, or was broken off, until memory, the application or the priority allow it.
        case heldBack
        /// The download failed for lack of a network, and waits until there is one.
        case waitsForNetwork
        /// Work that another request had started brought the original from the network: so many bytes need not come once more.
        case joined(bytes: Int)
        /// One of the next three is told of each request, exactly once.
        case succeeded(ImageSource)
        case failed(String)
        case cancelled
    }

    /// Names the request within its loader; 0 for what happened behind all of them.
    public var request: UInt64
    /// Nil when the original has none.
    public var url: URL?
    public var kind: Kind
    /// Since the request began, by the loader's clock; zero for what happened behind all of them, and for an answer from memory. The
    /// difference of two is what lies between them: the wait for a place, from `queued` to `downloadStarted` or `decodingStarted`; a
    /// download, from `downloadStarted` to `downloadFinished`; decoding, from `decodingStarted` to `decoded`.
    public var elapsed: Duration

    public init(request: UInt64, url: URL?, kind: Kind, elapsed: Duration = .zero) {
        self.request = request
        self.url = url
        self.kind = kind
        self.elapsed = elapsed
    }
}
