public import ImageCore
import Synchronization

/// Keeps every event that a loader tells, in order, and lets a test await that so many have come.
public final class RecordingObserver: ImageLoaderObserver {
    private struct State: Sendable {
        var events: [ImageLoadEvent] = []
        var watchers: [Watcher] = []
    }

    private struct Watcher: Sendable {
        var isReached: @Sendable ([ImageLoadEvent]) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private let state = Mutex(State())

    public init() {}

    public func loader(did event: ImageLoadEvent) {
        let reached = state.withLock { state in
            state.events.append(event)
            let events = state.events
            let reached = state.watchers.filter { $0.isReached(events) }
            state.watchers.removeAll { $0.isReached(events) }
            return reached
        }
        for watcher in reached { watcher.continuation.resume() }
    }

    /// What has been told so far.
    public var events: [ImageLoadEvent] { state.withLock { $0.events } }

    /// The kinds of the events of one request, or of all.
    public func kinds(of request: UInt64? = nil) -> [ImageLoadEvent.Kind] {
        events.filter { request == nil || $0.request == request }.map(\.kind)
    }

    /// Returns the first `count` events as soon as there are so many.
    public func events(_ count: Int) async -> [ImageLoadEvent] {
        await reaches { $0.count >= count }
        return Array(events.prefix(count))
    }

    /// Returns as soon as an event of this kind has come.
    public func event(_ kind: ImageLoadEvent.Kind) async { await reaches { $0.contains { $0.kind == kind } } }

    /// Returns as soon as what has been told satisfies `condition`, which must not call this observer.
    public func reaches(_ condition: @escaping @Sendable ([ImageLoadEvent]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if condition(state.events) { return true }
                state.watchers.append(Watcher(isReached: condition, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
