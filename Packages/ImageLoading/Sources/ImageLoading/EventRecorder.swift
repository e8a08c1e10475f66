import ImageCore
import Synchronization

/// Numbers requests, and sends their events to the observer.
final class EventRecorder: Sendable {
    private static let memoryHit: [ImageLoadEvent.Kind] = [.started, .memoryHit, .succeeded(.memory)]

    private let observer: (any ImageLoaderObserver)?
    private let lastID = Atomic<UInt64>(0)

    init(observer: (any ImageLoaderObserver)?) { self.observer = observer }

    /// Returns a new identifier for a request.
    func makeID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// - Parameter elapsed: The time since the start of the request. Called only if it is needed.
    func record(_ kind: ImageLoadEvent.Kind, id: UInt64, of request: ImageRequest, elapsed: () -> Duration) {
        guard let observer else { return }
        observer.handle(ImageLoadEvent(request: id, url: request.url, kind: kind, elapsed: elapsed()))
    }

    /// Records all events of a request whose image was in the memory cache.
    func recordMemoryHit(of request: ImageRequest) {
        if observer == nil { return }
        let id = makeID()
        for kind in Self.memoryHit { record(kind, id: id, of: request) { .zero } }
    }
}
