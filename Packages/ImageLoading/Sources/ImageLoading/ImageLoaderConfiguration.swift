public import ImageCore
public import ImageTransporting

/// Everything that a loader is made of. Each part is a port; nothing has a hidden default.
///
/// `ImageLoadingDefaults` fills one in with the implementations of this package.
public struct ImageLoaderConfiguration: Sendable {
    /// Decoded pictures; nil does without.
    public var memoryCache: (any ImageCache)?
    /// What stands in front of the transport and answers without the network; nil when nothing does.
    public var responseCache: (any ResponseCache)?
    /// The store behind it, for whoever keeps house: emptied and measured, never asked for a picture; nil when there is none.
    public var diskStore: (any MaintainedStore)?
    /// Where originals of requests' own fetches are kept on disk; nil for nowhere.
    public var fetchedOriginals: FetchedOriginals?
    public var transport: any DataTransport
    public var decoder: any SizedImageDecoder
    public var scheduler: any WorkScheduler
    /// Joins requests for the same picture at the same size.
    public var imageCoalescer: any RequestCoalescer<ImageJobKey, LoadedImage>
    /// Joins requests for the same original, whatever sizes they want.
    public var dataCoalescer: any RequestCoalescer<DataJobKey, LoadedData>
    public var observer: (any ImageLoaderObserver)?
    /// Tells when memory is short; nil when nobody does.
    public var memoryPressureMonitor: (any MemoryPressureMonitor)?
    /// Tells whether anybody sees the application; nil when nobody does, and then somebody always does.
    public var applicationStateMonitor: (any ConditionMonitor<ApplicationState>)?
    /// Tells whether there is a network; nil when nobody does, and then no download waits for one.
    public var connectivityMonitor: (any ConditionMonitor<Connectivity>)?
    /// Asked for time while urgent downloads (`.high` and above) run in the background; nil where the platform stops no process there.
    public var backgroundTime: (any BackgroundTimeProvider)?
    /// How many downloads that failed for lack of a network wait for one, at most; more, the least urgent, fail at once.
    public var maxWaitingForNetwork = 200
    public var retryPolicy: RetryPolicy
    public var transferLimits: TransferLimits
    /// How often a preview is worth its work, for requests that want any.
    public var previewThrottle: PreviewThrottle
    /// Measures the waits between retries, and the time between previews.
    public var clock: any Clock<Duration>
    /// The threads that tasks which the loader itself makes prefer; nil for Swift's cooperative pool.
    public var taskExecutor: (any TaskExecutor)?

    public init(
        memoryCache: (any ImageCache)?, responseCache: (any ResponseCache)?, transport: any DataTransport,
        decoder: any SizedImageDecoder, scheduler: any WorkScheduler,
        imageCoalescer: any RequestCoalescer<ImageJobKey, LoadedImage>,
        dataCoalescer: any RequestCoalescer<DataJobKey, LoadedData>, observer: (any ImageLoaderObserver)? = nil,
        memoryPressureMonitor: (any MemoryPressureMonitor)? = nil,
        retryPolicy: RetryPolicy, transferLimits: TransferLimits = TransferLimits(),
        previewThrottle: PreviewThrottle = PreviewThrottle(), clock: any Clock<Duration>,
        taskExecutor: (any TaskExecutor)? = nil
    ) {
        self.memoryCache = memoryCache
        self.responseCache = responseCache
        self.transport = transport
        self.decoder = decoder
        self.scheduler = scheduler
        self.imageCoalescer = imageCoalescer
        self.dataCoalescer = dataCoalescer
        self.observer = observer
        self.memoryPressureMonitor = memoryPressureMonitor
        self.retryPolicy = retryPolicy
        self.transferLimits = transferLimits
        self.previewThrottle = previewThrottle
        self.clock = clock
        self.taskExecutor = taskExecutor
    }
}

/// Bounds on every transfer that a loader starts.
public struct TransferLimits: Sendable, Hashable {
    /// Until the connection stands.
    public var connectTimeout: Duration
    /// The longest time without a byte.
    public var stallTimeout: Duration
    /// The longest a transfer may take in all; nil for no bound.
    public var totalTimeout: Duration?
    /// The largest original accepted, in bytes.
    public var maxBodyBytes: Int
    public var maxRedirects: Int

    public init(
        connectTimeout: Duration = .seconds(15), stallTimeout: Duration = .seconds(30),
        totalTimeout: Duration? = .seconds(600), maxBodyBytes: Int = 256 << 20, maxRedirects: Int = 10
    ) {
        self.connectTimeout = connectTimeout
        self.stallTimeout = stallTimeout
        self.totalTimeout = totalTimeout
        self.maxBodyBytes = maxBodyBytes
        self.maxRedirects = maxRedirects
    }
}
