public import ImageCore
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Measures and empties what a loader stores on disk. Entries that are stored meanwhile may stay.
public struct DiskMaintenance: Sendable {
    /// Removes all entries.
    public var removeAll: @Sendable () async throws(DataCacheFailure) -> Void
    /// Removes the entries that were neither stored nor read for longer than a time.
    public var removeUnused: @Sendable (_ age: Duration) async throws(DataCacheFailure) -> Void
    /// Returns the size in bytes, including the index.
    public var byteCount: @Sendable () async throws(DataCacheFailure) -> Int

    /// Creates the maintenance of a store.
    public init(
        removeAll: @escaping @Sendable () async throws(DataCacheFailure) -> Void,
        removeUnused: @escaping @Sendable (_ age: Duration) async throws(DataCacheFailure) -> Void,
        byteCount: @escaping @Sendable () async throws(DataCacheFailure) -> Int
    ) {
        self.removeAll = removeAll
        self.removeUnused = removeUnused
        self.byteCount = byteCount
    }
}

/// The components of a loader. `ImageLoaderOptions.makeConfiguration()` of ImageLoaderKit creates those of this
/// package.
public struct ImageLoaderConfiguration: Sendable {
    /// Stores decoded images; nil for no memory cache.
    public var memoryCache: (any ImageCache)?
    /// Returns the text that identifies the image of a URL; nil for the normalized URL. URLs with equal texts share memory,
    /// downloads, prefetches and stored responses.
    ///
    /// It is called for each lookup in memory, on the caller's thread. Requests are sent to the URL as it is.
    public var urlIdentity: (@Sendable (URL) -> String)?
    /// Stores and downloads originals: `.cached(…)`, or `.uncached(…)` without a disk cache.
    public var transport: LoaderTransport
    /// Decodes originals.
    public var decoder: any SizedImageDecoder
    /// Decides when downloads and decodes start.
    public var scheduler: any WorkScheduler
    /// Shares images among requests for the same size, and originals among requests for any size.
    public var coalescer: any RequestCoalescer<OperationKey, OperationResult>
    /// Receives the events of all requests.
    public var observer: (any ImageLoaderObserver)?
    /// Reports when memory is short; nil to ignore it.
    public var memoryPressureMonitor: (any ConditionMonitor<MemoryPressureLevel>)?
    /// Reports whether the application is in the foreground; nil if it always is.
    public var applicationStateMonitor: (any ConditionMonitor<ApplicationState>)?
    /// Reports whether there is a network. With nil, no download waits for one.
    public var connectivityMonitor: (any ConditionMonitor<Connectivity>)?
    /// The policy for retries of failed downloads.
    public var retryPolicy: RetryPolicy
    /// The limits and timeouts of downloads.
    public var transferLimits: TransferLimits
    /// The minimum distance between previews.
    public var previewThrottle: PreviewThrottle
    /// The clock for retries, previews and durations.
    public var clock: any Clock<Duration>
    /// The preferred executor of the loader's tasks; nil for Swift's cooperative pool.
    public var taskExecutor: (any TaskExecutor)?

    /// Creates a configuration. The parts that are no parameters are nil until they are set.
    public init(
        memoryCache: (any ImageCache)?, transport: LoaderTransport, decoder: any SizedImageDecoder,
        scheduler: any WorkScheduler, coalescer: any RequestCoalescer<OperationKey, OperationResult>,
        observer: (any ImageLoaderObserver)? = nil,
        memoryPressureMonitor: (any ConditionMonitor<MemoryPressureLevel>)? = nil,
        retryPolicy: RetryPolicy, transferLimits: TransferLimits = TransferLimits(),
        previewThrottle: PreviewThrottle = PreviewThrottle(), clock: any Clock<Duration>,
        taskExecutor: (any TaskExecutor)? = nil
    ) {
        self.memoryCache = memoryCache
        self.transport = transport
        self.decoder = decoder
        self.scheduler = scheduler
        self.coalescer = coalescer
        self.observer = observer
        self.memoryPressureMonitor = memoryPressureMonitor
        self.retryPolicy = retryPolicy
        self.transferLimits = transferLimits
        self.previewThrottle = previewThrottle
        self.clock = clock
        self.taskExecutor = taskExecutor
    }
}
