internal import ImageCore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Counts the downloads in flight for the inspector, and records which ones are queued and start for benchmarks.
final class DownloadMonitor: ImageLoaderObserver {
    nonisolated struct QueueSnapshot: Sendable {
        /// The queued downloads.
        var waiting: Set<URL> = []
        /// The downloads that have started since the last snapshot. Empty in the first snapshot.
        var started: Set<URL> = []
    }

    fileprivate nonisolated struct State {
        var running: Set<UInt64> = []
        var snapshot = QueueSnapshot()
        var isRecording = false
    }

    private let state = Mutex(State())

    var inFlight: Int { state.withLock { $0.running.count } }

    /// Returns the queued downloads and those that have started since the last call.
    func takeSnapshot() -> QueueSnapshot {
        state.withLock { state in
            defer { (state.snapshot.started, state.isRecording) = ([], true) }
            return state.snapshot
        }
    }

    func handle(_ event: ImageLoadEvent) {
        switch event.kind {
        case .queued(.download): state.withLock { state in event.url.map { _ = state.snapshot.waiting.insert($0) } }
        case .downloadStarted: state.withLock { $0.recordStart(event) }
        case .downloadFinished, .succeeded, .failed, .cancelled: state.withLock { $0.recordEnd(event) }
        default: break
        }
    }
}

nonisolated extension DownloadMonitor.State {
    fileprivate mutating func recordStart(_ event: ImageLoadEvent) {
        running.insert(event.request)
        guard let url = event.url else { return }
        snapshot.waiting.remove(url)
        if isRecording { snapshot.started.insert(url) }
    }

    fileprivate mutating func recordEnd(_ event: ImageLoadEvent) {
        running.remove(event.request)
        event.url.map { _ = snapshot.waiting.remove($0) }
    }
}
