public import ImageCore
import Synchronization

/// Loads pictures ahead of need, at low priority, and stops when told.
///
/// A real request for a picture that is being prefetched joins the same work and raises its priority. Pictures already
/// prefetching are not started twice. When the prefetcher goes away, what it has started is cancelled.
///
/// While memory is short (the loader's monitor says `.warning` or worse), nothing is loaded ahead of need: what is on its way
/// stops, and `start` does nothing.
public final class ImagePrefetcher: Sendable {
    /// How far a picture is brought ahead of need.
    public enum Destination: Sendable, CaseIterable {
        /// Decoded at its size, in the memory cache.
        case memory
        /// The encoded original, in the disk cache.
        case disk
    }

    private struct State {
        var tasks: [ImageJobKey: (id: UInt64, task: Task<Void, Never>)] = [:]
        var nextID: UInt64 = 0
        var pressureObservation: MemoryPressureObservation?
    }

    private let loader: ImageLoader
    private let destination: Destination
    private let state = Mutex(State())

    public init(loader: ImageLoader, destination: Destination = .memory) {
        self.loader = loader
        self.destination = destination
        let observation = loader.configuration.memoryPressureMonitor?.observe { [weak self] level in
            if level.forbidsPrefetching { self?.stop() }
        }
        state.withLock { $0.pressureObservation = observation }
    }

    deinit { stop() }

    /// How many pictures are on their way.
    public var count: Int { state.withLock { $0.tasks.count } }

    /// Starts loading what is not on its way already. Priorities above `.low` are lowered to it.
    public func start(_ requests: [ImageRequest]) {
        if loader.configuration.memoryPressureMonitor?.level.forbidsPrefetching ?? false { return }
        for request in requests {
            let key = request.jobKey
            state.withLock { state in
                guard state.tasks[key] == nil else { return }
                state.nextID += 1
                let id = state.nextID
                state.tasks[key] = (id, makeTask(for: request, key, id: id))
            }
        }
    }

    /// Stops these; what has not started never will, what runs is cancelled unless someone else waits for it.
    public func stop(_ requests: [ImageRequest]) {
        let keys = requests.map(\.jobKey)
        let tasks = state.withLock { state in keys.compactMap { state.tasks.removeValue(forKey: $0)?.task } }
        for task in tasks { task.cancel() }
    }

    /// Stops everything.
    public func stop() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            return state.tasks.values.map(\.task)
        }
        for task in tasks { task.cancel() }
    }

    /// Returns when everything started so far has arrived, failed or been stopped.
    public func finished() async {
        let tasks = state.withLock { $0.tasks.values.map(\.task) }
        for task in tasks { await task.value }
    }

    private func makeTask(for request: ImageRequest, _ key: ImageJobKey, id: UInt64) -> Task<Void, Never> {
        var request = request
        request.priority = min(request.priority, .low)
        return Task(executorPreference: loader.configuration.taskExecutor) {
            [request, loader, destination, weak self] in
            do throws(ImageError) {
                switch destination {
                case .memory: _ = try await loader.image(for: request)
                case .disk: _ = try await loader.data(for: request)
                }
            } catch {
                // A prefetch that fails costs nothing: the loader's observer was told, and the real request will try again.
            }
            self?.remove(key, id: id)
        }
    }

    private func remove(_ key: ImageJobKey, id: UInt64) {
        state.withLock { state in
            if state.tasks[key]?.id == id { state.tasks[key] = nil }
        }
    }
}
