public import ImageCore
public import ImageTransporting

/// The components of a loader. `ImageLoaderOptions.makeParts()` of ImageLoaderKit creates those of this
/// package.
public struct ImageLoaderParts: Sendable {
    /// Stores decoded images; nil for no memory cache.
    public var memoryCache: (any ImageCache)?
    /// Returns the text that identifies the image of a URL, in memory and on disk; nil for the normalized URL.
    ///
    /// It is called for each lookup in memory, on the caller's thread.
    public var urlIdentifier: (@Sendable (URL) -> String)?
    /// Returns the current account; nil if there is none. No account finds what was loaded for another, in memory, on disk or
    /// in progress.
    ///
    /// It is called for each lookup in memory, on the caller's thread.
    public var account: (@Sendable () -> String?)?
    /// Makes URLs of variants; nil to load the URLs of requests. A request can have its own.
    public var variants: ImageVariants?
    /// Reports what data costs, for variants and ``RequestHints/lowData``. With nil, only requests can ask for less data.
    public var networkCostMonitor: (any ConditionMonitor<NetworkCost>)?
    /// What requests say beyond the fields that the application sets.
    public var hints: RequestHints = []
    /// The formats that the decoder reads, for variants and ``RequestHints/formats``. Empty if unknown.
    public var formats: [ImageFormat] = []
    /// Returns the image that a response field describes, which progressive requests show until the body has more to
    /// show; nil for none. It must take much less than a frame.
    public var placeholder: (@Sendable (OriginalResponse) -> DecodedImage?)?
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
    /// Reports whether the application is in the foreground; nil if it always is. In the background, downloads below
    /// `.normal` priority stop, and the memory cache keeps a quarter of its images.
    public var applicationStateMonitor: (any ConditionMonitor<ApplicationState>)?
    /// Reports whether there is a network. With nil, no download waits for one.
    public var connectivityMonitor: (any ConditionMonitor<Connectivity>)?
    /// The maximum time that a failed download waits for a network, after which it ends with its failure; nil for no limit.
    public var maxNetworkWait: Duration? = .seconds(60)
    /// The policy for retries of failed downloads.
    public var retryPolicy: TransferRetryPolicy
    /// The limits and timeouts of downloads.
    public var transferOptions: TransferOptions
    /// The size, in bytes, of the decoded frames of all animations that are shown, in addition to their first frames.
    ///
    /// Each animation has at least one frame. While memory is short, it has one.
    public var animationByteLimit = 32_000_000
    /// The minimum distance between previews.
    public var previewThrottle: PreviewThrottle
    /// The clock for retries, previews and durations.
    public var clock: any Clock<Duration>
    /// The preferred executor of the loader's tasks; nil for Swift's cooperative pool.
    public var taskExecutor: (any TaskExecutor)?

    /// Creates a configuration. The parts that are no parameters have their defaults until they are set.
    public init(
        memoryCache: (any ImageCache)?, transport: LoaderTransport, decoder: any SizedImageDecoder,
        scheduler: any WorkScheduler, coalescer: any RequestCoalescer<OperationKey, OperationResult>,
        observer: (any ImageLoaderObserver)? = nil,
        memoryPressureMonitor: (any ConditionMonitor<MemoryPressureLevel>)? = nil,
        retryPolicy: TransferRetryPolicy = TransferRetryPolicy(), transferOptions: TransferOptions = TransferOptions(),
        previewThrottle: PreviewThrottle = PreviewThrottle(), clock: any Clock<Duration> = ContinuousClock(),
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
        self.transferOptions = transferOptions
        self.previewThrottle = previewThrottle
        self.clock = clock
        self.taskExecutor = taskExecutor
    }
}
