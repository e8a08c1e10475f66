import ImageCore
import Synchronization

/// Counts events and sends them to the observer.
final class EventRecorder: Sendable {
    private static let memoryHit: [ImageLoadEvent.Kind] = [.started, .memoryHit, .succeeded(.memory)]

    private let counts = Mutex(ImageLoaderStatistics())
    private let observer: (any ImageLoaderObserver)?
    private let lastID = Atomic<UInt64>(0)

    init(observer: (any ImageLoaderObserver)?) { self.observer = observer }

    var statistics: ImageLoaderStatistics { counts.withLock { $0 } }

    /// Returns a new identifier for a request.
    func makeID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// - Parameter elapsed: The time since the start of the request. Called only if it is needed.
    func record(_ kind: ImageLoadEvent.Kind, id: UInt64, of request: ImageRequest, elapsed: () -> Duration) {
        let elapsed = observer != nil || kind.isLast ? elapsed() : .zero
        counts.withLock { $0.record(kind, at: elapsed) }
        observer?.handle(ImageLoadEvent(request: id, url: request.url, kind: kind, elapsed: elapsed))
    }

    /// Records all events of a request whose image was in the memory cache.
    func recordMemoryHit(of request: ImageRequest) {
        counts.withLock { counts in
            counts.record(.memoryHit, at: .zero)
            counts.record(.succeeded(.memory), at: .zero)
        }
        guard let observer else { return }
        let (id, url) = (makeID(), request.url)
        for kind in Self.memoryHit { observer.handle(ImageLoadEvent(request: id, url: url, kind: kind)) }
    }
}
