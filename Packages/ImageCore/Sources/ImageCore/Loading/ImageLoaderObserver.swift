#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Is told every step of every request, on hits too.
///
/// Called from whatever thread the step happens on, often: return quickly.
public protocol ImageLoaderObserver: Sendable {
    func loader(did event: ImageLoadEvent)
}

/// One fact about one request.
///
/// What requests share is told once, under the request that started it: those that joined have `started`, their look into
/// memory and their end. If the starter is cancelled while others wait, its shared work's events come after its end.
public struct ImageLoadEvent: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case started
        case memoryHit
        case memoryMiss
        case diskHit(bytes: Int)
        /// The disk cache has nothing that may be shown without asking the origin.
        case diskMiss
        /// The disk cache's answer is shown although it is out of date.
        case staleHit(bytes: Int)
        /// The origin confirmed what the disk cache has, in place of sending it.
        case validated(bytes: Int)
        /// A newer original came after a stale one was shown: loading it again shows it. Told of no request.
        case refreshed
        /// The disk cache failed; the loader goes on without it.
        case diskFailed(DataCacheFailure)
        case downloadStarted
        case downloadFinished(bytes: Int)
        case decoded(PixelSize)
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
    /// Since the request began, by the loader's clock; zero for what happened behind all of them. The difference of two is what lies
    /// between them: a download, from `downloadStarted` to `downloadFinished`; decoding, from there to `decoded`.
    public var elapsed: Duration

    public init(request: UInt64, url: URL?, kind: Kind, elapsed: Duration = .zero) {
        self.request = request
        self.url = url
        self.kind = kind
        self.elapsed = elapsed
    }
}
