public import ImageCore
import ImageTransporting
import Synchronization

/// Loads images ahead of time, at low priority.
///
/// - Up to `maxConcurrentRequests` run at a time, in order of arrival. You can start ten thousand in one call.
/// - Requests are skipped if the image is already in the destination, if they are in progress, or if the destination
///   can't store it.
/// - A request for an image that is being prefetched joins the operation and raises its priority. If the prefetch is
///   stopped, the request continues.
/// - When the prefetcher is released, its requests are cancelled.
///
/// While memory is short (`MemoryPressureLevel.warning` or higher), running requests stop and `start` does nothing.
/// This needs an `ImageLoader`: of other implementations of `ImageLoaderProtocol` it knows only the methods.
public final class ImagePrefetcher: Sendable {
    /// The cache in which prefetched images are stored.
    @nonexhaustive
    public enum Destination: Sendable, CaseIterable {
        /// The memory cache, with the request's processors applied.
        case memory
        /// The disk cache, with the encoded original. It is not decoded.
        case disk
    }

    private struct State {
        var queue: PrefetchQueue
        var tasks: [PrefetchID: Task<Void, Never>] = [:]
        /// The calls of `waitUntilFinished()`.
        var listeners: [OneTimeSignal] = []
        var pressureObservation: ChangeObservation?

        /// Removes and returns the listeners if there are no more prefetches.
        mutating func takeListeners() -> [OneTimeSignal] {
            guard queue.count == 0 else { return [] }
            defer { listeners = [] }
            return listeners
        }
    }

    private let loader: any ImageLoaderProtocol
    /// The loader, if its caches and monitors are known.
    private let knownLoader: ImageLoader?
    private let destination: Destination
    private let state: Mutex<State>

    /// Creates a prefetcher.
    ///
    /// - Parameters:
    ///   - loader: Loads the images.
    ///   - destination: Whether images are decoded into memory, or only stored on disk.
    ///   - maxConcurrentRequests: The maximum number of requests at a time, at least 1. A stopped request counts until
    ///     it ends.
    public init(
        loader: any ImageLoaderProtocol, destination: Destination = .memory, maxConcurrentRequests: Int = 16
    ) {
        self.loader = loader
        self.destination = destination
        knownLoader = loader as? ImageLoader
        state = Mutex(State(queue: PrefetchQueue(limit: maxConcurrentRequests)))
        let observation = memoryPressureMonitor?.observe { [weak self] level in
            if level >= .warning { self?.stop() }
        }
        state.withLock { $0.pressureObservation = observation }
    }

    deinit { stop() }

    /// Returns what requests have in common that this prefetcher counts as one.
    package func key(of request: ImageRequest) -> RequestKey { loader.key(of: request) }

    /// The number of waiting and running requests.
    public var count: Int { state.withLock { $0.queue.count } }

    /// The number of tasks of running requests.
    var taskCount: Int { state.withLock { $0.tasks.count } }

    /// Whether prefetching is paused. No requests start, but running ones continue.
    public var isPaused: Bool {
        get { state.withLock { $0.queue.isPaused } }
        set {
            state.withLock { $0.queue.isPaused = newValue }
            startNext()
        }
    }

    /// Loads images in order, after those that were started before. Priorities above `.low` are lowered to it.
    ///
    /// Does nothing while memory is short.
    public func start(_ requests: [ImageRequest]) {
        if let level = memoryPressureMonitor?.condition, level >= .warning { return }
        let prefetches = requests.compactMap { Prefetch($0, to: destination, of: loader) }
            .filter { knownLoader?.canStore($0) ?? true }
        state.withLock { state in
            for prefetch in prefetches { state.queue.add(prefetch) }
        }
        startNext()
    }

    /// Loads the images at URLs, like `start(_:)`.
    ///
    /// - Parameters:
    ///   - urls: The URLs, in order.
    ///   - target: The size to decode to; nil for the stored size. It has no effect on disk.
    public func start(_ urls: [URL], target: ImageTarget? = nil) {
        start(urls.map { ImageRequest(url: $0, target: target) })
    }

    /// Stops these requests, even if they were started repeatedly, or for another account. Operations that others wait for
    /// continue.
    public func stop(_ requests: [ImageRequest]) {
        let prefetches = requests.compactMap { Prefetch($0, to: destination, of: loader) }
        stop { queue in prefetches.flatMap { queue.stop($0) } }
    }

    /// Stops all requests.
    public func stop() { stop { $0.stopAll() } }

    /// Waits until no request waits or runs, or until the calling task is cancelled.
    public func waitUntilFinished() async {
        let signal = OneTimeSignal()
        let isIdle = state.withLock { state in
            if state.queue.count > 0 { state.listeners.append(signal) }
            return state.queue.count == 0
        }
        // A cancelled call returns.
        if !isIdle { try? await signal.wait() }
    }

    private var memoryPressureMonitor: (any ConditionMonitor<MemoryPressureLevel>)? {
        knownLoader?.configuration.memoryPressureMonitor
    }

    private func startNext() {
        while let (id, prefetch) = state.withLock({ $0.queue.start() }) {
            if isInMemory(prefetch) { ended(id) } else { start(prefetch, id) }
        }
    }

    private func isInMemory(_ prefetch: Prefetch) -> Bool {
        guard case .image(let key, _) = prefetch.key.product else { return false }
        guard let knownLoader else { return loader.cachedImage(for: prefetch.request) != nil }
        return knownLoader.imageInMemory(key, for: prefetch.request) != nil
    }

    private func start(_ prefetch: Prefetch, _ id: PrefetchID) {
        let executor = knownLoader?.configuration.taskExecutor
        let task = Task(executorPreference: executor) { [loader, knownLoader, weak self] in
            if await !(knownLoader?.hasStored(prefetch) ?? false) { await loader.load(prefetch) }
            self?.ended(id)
            self?.startNext()
        }
        let isWanted = state.withLock { state in
            guard state.queue.isRunning(id) else { return false }
            state.tasks[id] = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    private func ended(_ id: PrefetchID) {
        let signals = state.withLock { state in
            state.tasks[id] = nil
            return state.queue.end(id) ? state.takeListeners() : []
        }
        for signal in signals { signal.send() }
    }

    /// Removes prefetches from the queue and cancels those that run.
    private func stop(_ remove: (inout PrefetchQueue) -> [PrefetchQueue.Stopped]) {
        let (stopped, tasks, signals) = state.withLock { state in
            let stopped = remove(&state.queue)
            let tasks = stopped.compactMap { state.tasks.removeValue(forKey: $0.id) }
            return (stopped, tasks, state.takeListeners())
        }
        for task in tasks { task.cancel() }
        for signal in signals { signal.send() }
        _ = consume stopped  // releases the requests
    }
}

/// A request of a prefetcher, adapted to its destination. Its key identifies duplicates.
struct Prefetch: Sendable {
    let request: ImageRequest
    let key: OperationKey
    /// The key of the request itself, whatever the account and the variants of the loader are.
    let requestKey: RequestKey

    /// Returns nil if nothing would be stored in the destination.
    init?(_ request: ImageRequest, to destination: ImagePrefetcher.Destination, of loader: any ImageLoaderProtocol) {
        var request = request
        request.priority = min(request.priority, .low)
        request.isProgressive = false
        let product: OperationKey.Product
        switch destination {
        case .memory:
            guard request.cachePolicy.memory.writes else { return nil }
            product = .image(loader.cacheKey(for: request), readsMemory: request.readsMemory)
        case .disk:
            // Local originals are not stored.
            guard !request.origin.isLocal, request.cachePolicy.disk.writes else { return nil }
            product = .original(request.originalKey(loader.cacheKey(for: request)))
        }
        key = OperationKey(product, CacheUse(request))
        requestKey = RequestKey(request, key: request.cacheKey)
        self.request = request
    }
}

extension ImageLoader {
    /// Returns whether there is a cache that can store the result. Whether the result fits isn't known before.
    fileprivate func canStore(_ prefetch: Prefetch) -> Bool {
        switch prefetch.key.product {
        case .image, .frame: configuration.memoryCache?.storesImages ?? false
        case .original: configuration.transport.isCached
        }
    }

    /// Returns whether the original to prefetch is on disk.
    fileprivate func hasStored(_ prefetch: Prefetch) async -> Bool {
        guard case .original = prefetch.key.product else { return false }
        return await hasStored(prefetch.request)
    }
}

extension ImageLoaderProtocol {
    /// Loads images ahead of time, at low priority, and returns when all have ended. Only the observer receives errors.
    ///
    /// If the calling task is cancelled, it stops them and returns.
    ///
    /// - Parameters:
    ///   - requests: The images, in order.
    ///   - destination: Whether they are decoded into memory, or only stored on disk.
    public func prefetch(_ requests: [ImageRequest], to destination: ImagePrefetcher.Destination = .memory) async {
        let prefetcher = ImagePrefetcher(loader: self, destination: destination)
        prefetcher.start(requests)
        await prefetcher.waitUntilFinished()
    }

    /// Loads an image into its destination. Only the observer receives errors.
    fileprivate func load(_ prefetch: Prefetch) async {
        switch prefetch.key.product {
        case .image, .frame: _ = try? await image(for: prefetch.request)
        case .original: _ = try? await data(for: prefetch.request)
        }
    }
}
