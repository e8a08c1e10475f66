public import ImageCore
import Synchronization

/// Loads pictures ahead of need, at low priority, and stops when told.
///
/// - First come, first served, and at most `limit` requests at once: what has not come to its turn costs an entry in a queue and no
///   task, so that ten thousand may be started in one call.
/// - What is in the destination by its turn is skipped; so is what is on its way already, and what the request's own cache policy, or
///   its kind of origin, keeps out of the destination.
/// - A real request for a picture that is being prefetched joins the same work and raises its priority. It keeps it, when the
///   prefetch is stopped.
/// - When the prefetcher goes away, what it has started is cancelled.
///
/// While memory is short (the loader's monitor says `.warning` or worse), nothing is loaded ahead of need: what is on its way
/// stops, and `start` does nothing.
public final class ImagePrefetcher: Sendable {
    /// How far a picture is brought ahead of need.
    public enum Destination: Sendable, CaseIterable {
        /// The finished picture, in the memory cache: decoded at its size, and after the request's processors.
        case memory
        /// The picture decoded at its size, without the request's processors, in the memory cache: for requests whose steps differ or
        /// are not known yet. Whatever processors they have, they begin with this picture.
        case decoded
        /// The encoded original, in the disk cache. Never decoded, and not in the memory cache.
        ///
        /// Whether it is there is asked of the response cache; its body is not pulled. Without one the transport loads it, which may have
        /// a cache of its own.
        case disk
    }

    private struct State {
        var queue: PrefetchQueue
        var tasks: [PrefetchID: Task<Void, Never>] = [:]
        var listeners = PrefetchListeners()
        var pressureObservation: MemoryPressureObservation?
    }

    let loader: ImageLoader
    private let destination: Destination
    private let state: Mutex<State>

    /// - Parameter limit: how many requests are under way at once, at least 1; a request that was stopped counts until it has ended.
    ///   The default keeps all downloads of the default loader busy, for several hosts, and its decoders.
    public init(loader: ImageLoader, destination: Destination = .memory, limit: Int = 16) {
        self.loader = loader
        self.destination = destination
        state = Mutex(State(queue: PrefetchQueue(limit: limit)))
        let observation = loader.configuration.memoryPressureMonitor?.observe { [weak self] level in
            if level.forbidsPrefetching { self?.stop() }
        }
        state.withLock { $0.pressureObservation = observation }
    }

    deinit { stop() }

    /// How many pictures are on their way or wait for their turn.
    public var count: Int { state.withLock { $0.queue.count } }

    /// While it is true nothing comes to its turn; what is under way goes on.
    public var isPaused: Bool {
        get { state.withLock { $0.queue.isPaused } }
        set {
            state.withLock { $0.queue.isPaused = newValue }
            startNext()
        }
    }

    /// Loads these, in this order, after what was started before. Priorities above `.low` are lowered to it.
    public func start(_ requests: [ImageRequest]) {
        if loader.configuration.memoryPressureMonitor?.level.forbidsPrefetching ?? false { return }
        let prefetches = requests.compactMap { Prefetch($0, to: destination) }
        state.withLock { state in
            for prefetch in prefetches { state.queue.added(prefetch) }
        }
        startNext()
    }

    /// Stops these, however often they were started: what has not come to its turn never will, what runs is cancelled unless someone
    /// else waits for it.
    public func stop(_ requests: [ImageRequest]) {
        let keys = requests.compactMap { Prefetch($0, to: destination)?.key }
        end { queue in keys.compactMap { queue.stopped($0) } }
    }

    /// Stops everything.
    public func stop() { end { $0.stoppedAll() } }

    /// Returns when everything started so far has arrived, failed or been stopped, or when the calling task is cancelled.
    public func finished() async {
        let listener = state.withLock { $0.listeners.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard !Task.isCancelled, state.queue.count > 0 else { return false }
                    state.listeners.add(listener, awaiting: state.queue.openIDs, continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.listeners.remove(listener) }?.resume()
        }
    }

    // MARK: Turns

    /// Starts what may start now. What is in memory by then ends here, without a task.
    private func startNext() {
        while let turn = state.withLock({ $0.queue.next() }) {
            if isInMemory(turn.prefetch) { hasEnded(turn.id) } else { start(turn.prefetch, turn.id) }
        }
    }

    private func isInMemory(_ prefetch: Prefetch) -> Bool {
        guard case .picture(let job) = prefetch.key else { return false }
        return loader.pictureInMemory(job.image, for: prefetch.request) != nil
    }

    private func start(_ prefetch: Prefetch, _ id: PrefetchID) {
        let task = Task(executorPreference: loader.configuration.taskExecutor) { [loader, weak self] in
            await loader.carryOut(prefetch)
            self?.hasEnded(id)
            self?.startNext()
        }
        let isWanted = state.withLock { state in
            guard state.queue.isUnderWay(id) else { return false }
            state.tasks[id] = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    private func hasEnded(_ id: PrefetchID) {
        let (task, listeners) = state.withLock { state in
            let isFirst = state.queue.ended(id)
            return (state.tasks.removeValue(forKey: id), isFirst ? state.listeners.ended(id) : [])
        }
        _ = consume task  // goes here, not under the lock
        for listener in listeners { listener.resume() }
    }

    /// Takes prefetches out of the queue, cancels those that run, and lets go of all of them once the lock is free.
    private func end(_ stops: (inout PrefetchQueue) -> [PrefetchQueue.Stopped]) {
        let (stopped, tasks, listeners) = state.withLock { state in
            let stopped = stops(&state.queue)
            let ids = stopped.map(\.id)
            return (
                stopped, ids.compactMap { state.tasks.removeValue(forKey: $0) },
                ids.flatMap { state.listeners.ended($0) }
            )
        }
        for task in tasks { task.cancel() }
        for listener in listeners { listener.resume() }
        _ = consume stopped
    }
}
