internal import ImageCore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Counts the downloads in flight for the inspector, and records which ones wait and begin for benchmarks.
final class DownloadCount: ImageLoaderObserver {
    nonisolated struct Turns: Sendable {
        /// What waits for its place.
        var waiting: Set<URL> = []
        /// What has begun since the last look; nothing before the first.
        var begun: Set<URL> = []
    }

    fileprivate nonisolated struct State {
        var running: Set<UInt64> = []
        var turns = Turns()
        var isLookedAt = false
    }

    private let state = Mutex(State())

    var inFlight: Int { state.withLock { $0.running.count } }

    /// Looks at what waits and has begun.
    func takeTurns() -> Turns {
        state.withLock { state in
            defer { (state.turns.begun, state.isLookedAt) = ([], true) }
            return state.turns
        }
    }

    func handle(_ event: ImageLoadEvent) {
        switch event.kind {
        case .queued(.download): state.withLock { state in event.url.map { _ = state.turns.waiting.insert($0) } }
        case .downloadStarted: state.withLock { $0.began(event) }
        case .downloadFinished, .succeeded, .failed, .cancelled: state.withLock { $0.ended(event) }
        default: break
        }
    }
}

nonisolated extension DownloadCount.State {
    fileprivate mutating func began(_ event: ImageLoadEvent) {
        running.insert(event.request)
        guard let url = event.url else { return }
        turns.waiting.remove(url)
        if isLookedAt { turns.begun.insert(url) }
    }

    fileprivate mutating func ended(_ event: ImageLoadEvent) {
        running.remove(event.request)
        event.url.map { _ = turns.waiting.remove($0) }
    }
}
