public import ImageCore
public import ImageTransporting

/// The parts of a loader. Each is a protocol; nothing has a hidden default.
///
/// `ImageLoaderKit` fills one in with the implementations of this package.
public struct ImageLoaderConfiguration: Sendable {
    /// Decoded images; nil for none.
    public var memoryCache: (any ImageCache)?
    /// Answers requests that need no network; nil for none.
    public var responseCache: (any ResponseCache)?
    /// The store behind the response cache, to be emptied and measured; nil for none.
    public var diskStore: (any MaintainedStore)?
    /// Where originals of the application's own fetches are stored on disk; nil for nowhere.
    public var fetchedOriginals: FetchedOriginals?
    public var transport: any DataTransport
    public var decoder: any SizedImageDecoder
    public var scheduler: any WorkScheduler
    /// Shares images among requests for the same size.
    public var imageCoalescer: any RequestCoalescer<ImageJobKey, ImageJobResult>
    /// Shares originals among requests for any size.
    public var dataCoalescer: any RequestCoalescer<DataJobKey, DataJobResult>
    public var observer: (any ImageLoaderObserver)?
    /// Reports when memory is short; nil for never.
    public var memoryPressureMonitor: (any MemoryPressureMonitor)?
    /// Reports whether the application is in the foreground; nil for always.
    public var applicationStateMonitor: (any ConditionMonitor<ApplicationState>)?
    /// Reports whether there is a network. With nil, no download waits for one.
    public var connectivityMonitor: (any ConditionMonitor<Connectivity>)?
    /// Provides time for downloads of `.high` priority and above in the background; nil if the platform needs none.
    public var backgroundTime: (any BackgroundTimeProvider)?
    /// How many downloads wait for a network at most. Others, of the lowest priority, fail at once.
    public var maxWaitingForNetwork = 200
    public var retryPolicy: RetryPolicy
    public var transferLimits: TransferLimits
    /// The shortest distance between previews.
    public var previewThrottle: PreviewThrottle
    /// For the waits between retries and between previews.
    public var clock: any Clock<Duration>
    /// The threads that the loader's tasks prefer; nil for Swift's cooperative pool.
    public var taskExecutor: (any TaskExecutor)?

    public init(
        memoryCache: (any ImageCache)?, responseCache: (any ResponseCache)?, transport: any DataTransport,
        decoder: any SizedImageDecoder, scheduler: any WorkScheduler,
        imageCoalescer: any RequestCoalescer<ImageJobKey, ImageJobResult>,
        dataCoalescer: any RequestCoalescer<DataJobKey, DataJobResult>, observer: (any ImageLoaderObserver)? = nil,
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
