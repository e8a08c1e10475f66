internal import ImageCore
internal import Synchronization

/// Counts the downloads in flight, cache lookups and results for the inspector.
final class DownloadMonitor: ImageLoaderObserver {
    private nonisolated struct State {
        var running: Set<UInt64> = []
        var statistics = LoadStatistics()
    }

    private let state = Mutex(State())

    var inFlight: Int { state.withLock { $0.running.count } }
    var statistics: LoadStatistics { state.withLock { $0.statistics } }

    func handle(_ event: ImageLoadEvent) {
        state.withLock { state in
            state.statistics.record(event.kind)
            guard let request = event.requestID else { return }
            switch event.kind {
            case .downloadStarted: state.running.insert(request)
            case .downloadFinished, .succeeded, .failed, .cancelled: state.running.remove(request)
            default: break
            }
        }
    }
}
