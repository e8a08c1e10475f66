internal import ImageCore
internal import Synchronization

/// Counts the downloads in flight for the inspector.
final class DownloadMonitor: ImageLoaderObserver {
    private let running = Mutex<Set<UInt64>>([])

    var inFlight: Int { running.withLock { $0.count } }

    func handle(_ event: ImageLoadEvent) {
        switch event.kind {
        case .downloadStarted: running.withLock { _ = $0.insert(event.request) }
        case .downloadFinished, .succeeded, .failed, .cancelled: running.withLock { _ = $0.remove(event.request) }
        default: break
        }
    }
}
