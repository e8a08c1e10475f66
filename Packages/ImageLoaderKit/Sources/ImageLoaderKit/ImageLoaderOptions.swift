package import HTTPTypes
import ImageCoalescing
public import ImageCore
public import ImageDiskCaching
public import ImageHTTPCaching
public import ImageLoading
public import ImageMemoryCaching
import ImageMonitoring
import ImageScheduling
import ImageThumbHash
import ImageTieredCaching
public import ImageTransporting

#if canImport(ImageIO)
    import ImageTransportURLSession
#else
    public import ImageDecodingIsolation
    import ImageTransportCurl
#endif

/// The options of a loader with this package's caches, transports and codecs.
///
/// To replace a component that has no option with your own implementation, change the result of
/// ``makeParts()``.
public struct ImageLoaderOptions: Sendable {
    /// The directory of the disk cache; nil for none. It is created when an image is stored. If it can't be, the loader
    /// works without it, and ``observer`` receives `diskFailed`.
    ///
    /// Several loaders and processes can share it, with an equal ``diskByteLimit``. On Linux, one with another limit stores
    /// nothing while others use it, and reports that to the ``observer``. Elsewhere, the smaller limit evicts the entries of
    /// all.
    public var cacheDirectory: URL?
    /// The limit of the memory cache, in bytes of decoded images.
    public var memoryByteLimit = 100_000_000
    /// Chooses the images that the memory cache evicts. See also ``/ImageCore/ImageRequest/memoryRetention``.
    public var memoryEvictionPolicy = EvictionPolicy.standard
    /// The time after which an image in the memory cache expires, from 0 to 100 years; nil for no limit.
    public var memoryLifetime: Duration?
    /// The limit of the decoded frames of all animations that are shown, in bytes. Each has at least one frame in
    /// addition to its first.
    public var animationByteLimit = 32_000_000
    /// The limit of the disk cache, in bytes of encoded originals. All loaders that share a directory need the same.
    public var diskByteLimit = 500_000_000
    /// Options of the disk cache, such as the time after which unused entries are removed.
    public var diskOptions = DiskCacheOptions()
    /// The format in which images are stored on disk.
    public var diskEncoding = DiskEncoding.original
    /// Encrypts the disk cache; nil for no encryption.
    public var diskEncryption: (any DataEncryption)?
    /// Wraps or replaces the network for http and https: `options.makeTransport = { LoggingTransport(base: $0) }`.
    ///
    /// Called once per loader with the platform's transport, libcurl on Linux and URLSession elsewhere, which has the
    /// connection limits of these options. The result is below the cache, which doesn't see what it changes. It receives
    /// each redirect as a request of its own, so add tokens in ``requestModifier``: here, other servers would receive them.
    public var makeTransport: @Sendable (_ platform: any DataTransport) -> any DataTransport = { $0 }
    /// The `User-Agent` of requests without one (RFC 9110, section 10.1.5), whatever the transport; nil to add none.
    public var userAgent: String? = "swift-image-loading/\(ImageLoader.version)"
    /// The files that requests can name by `file:` URLs. Restrict it if others choose the URLs.
    public var fileAccess = FileAccess.all
    #if !canImport(ImageIO)
        /// Returns whether the platform's transport may connect to an address; nil for all. Set it if others choose the
        /// URLs. URLSession can't check addresses, so Apple's platforms don't have this option.
        ///
        /// It is called for each new connection, also for redirects, and must return quickly. If it refuses all
        /// addresses of a host, the request fails with ``/ImageCore/NetworkFailure/Kind/blockedAddress``. With a policy,
        /// no proxy of the environment is used, because it would hide the addresses.
        public var addressPolicy: (@Sendable (TransportAddress) -> Bool)?
    #endif
    /// Decides which responses are stored and when they are validated. RFC 9111 by default.
    public var httpCachePolicy: any HTTPCachePolicy = RFC9111Policy()
    /// Determines which URLs identify the same image: in memory, on disk and among requests in progress.
    public var cacheKeyRules = CacheKeyRules()
    /// Loads variants of images in place of originals, from a server that makes them: `.imgproxy(server)`. Nil for none.
    public var variants: ImageVariants?
    /// Reports what data costs. If the cost is high, variants are smaller and in lower quality. Nil to ignore it.
    ///
    /// On Apple's platforms, the default is `NWPathMonitor`. Linux doesn't know: use a `SettableConditionMonitor`.
    public var networkCostMonitor: (any ConditionMonitor<NetworkCost>)?
    /// What each request tells the server about the client. By default nothing that splits the caches of servers.
    public var requestHints = RequestHints.standard
    /// Returns the account of the current user; nil for none. No account finds the images of another, in memory, on disk or
    /// in progress.
    ///
    /// It is called for each request, on the caller's thread. A request that is made before a change and sent after it
    /// fails with `ImageError.accountChanged`. Change it together with what ``requestModifier`` adds.
    public var account: (@Sendable () -> String?)?
    /// Changes each HTTP request before the cache lookup, for example to add a token. It is also called for cache hits.
    ///
    /// It runs once for each attempt, before the attempt waits for a slot. So it can load with this loader.
    ///
    /// The loader doesn't know which user the headers that it adds belong to. If they name one, set ``account``.
    public var requestModifier: ModifyingTransport.Modifier?
    /// Changes the request to send after a response with status 401, and returns whether to send it. It holds no download
    /// slot, so it can load with this loader. The new request waits for a slot of its own.
    public var challengeHandler: ModifyingTransport.ChallengeHandler?
    /// The limit of partial downloads on disk, in bytes; 0 for none. They are resumed even after a relaunch.
    public var partialDownloadByteLimit = 100_000_000
    /// The maximum number of downloads at a time. Values below 1 count as 1. Prefetches take two thirds at most.
    ///
    /// A download that receives less than 1 KiB in a second isn't counted while others wait. At most five times as many run.
    public var maxDownloads = 12
    /// The maximum number of downloads from one server (scheme, host and port) at a time. Clamped to
    /// 1...(`maxDownloads` − 1), so that one server never delays all others. Prefetches take two thirds at most, and one
    /// at least: with 1, other requests for the server wait for it.
    public var maxDownloadsPerServer = 6
    /// The maximum number of decodes at a time; the number of processor cores by default. Clamped to 1...256.
    public var maxDecodes: Int
    /// The decoders, in the order in which they are tried. With traits, `.all` has more.
    public var decoders: [any ImageDecoder] = .standard
    #if !canImport(ImageIO)
        /// Decodes images in worker processes, for example with `.workers(2)`; nil to decode in this process.
        ///
        /// Call `ImageWorker.runIfAsked()` first in `main`. Add decoders of your own there, too.
        public var isolation: ImageIsolation?
    #endif
    /// The encoders for ``diskEncoding``.
    public var encoders: [any ImageEncoder] = .standard
    /// Limits for decoding, checked before memory is allocated.
    public var decodingLimits = DecodingLimits.default
    /// When failed downloads are retried. By default twice, after up to 0.5 and 1 second.
    public var retryPolicy = TransferRetryPolicy()
    /// The limits and timeouts of downloads.
    public var transferOptions = TransferOptions()
    /// Receives an event for each step of each request.
    public var observer: (any ImageLoaderObserver)?
    /// Reports memory pressure, under which the memory cache shrinks and prefetching stops. By default the platform's
    /// monitor, if the system supports it. Nil to ignore memory pressure.
    public var memoryPressureMonitor: (any ConditionMonitor<MemoryPressureLevel>)?
    /// Reports whether the application is visible. While it isn't, downloads below `.normal` priority stop. When it
    /// disappears, the memory cache is trimmed to a quarter. Nil to ignore this. Use a `SettableConditionMonitor` to
    /// report it yourself.
    public var applicationStateMonitor: (any ConditionMonitor<ApplicationState>)?
    /// Reports whether there is a network. Downloads that failed without one wait for it; with nil, they don't.
    ///
    /// On Linux, by default a default route of the kernel counts as a network. Set it to nil in a network without one.
    /// On Apple's platforms, the default is `NWPathMonitor`.
    public var connectivityMonitor: (any ConditionMonitor<Connectivity>)?
    /// The maximum time that a failed download waits for a network, after which it ends with its failure; nil for no limit.
    public var maxNetworkWait: Duration? = .seconds(60)
    /// Whether downloads may use a network in Low Data Mode. Linux has no such mode.
    public var allowsConstrainedNetworkAccess = true
    /// Measures delays, durations and how long images are in memory. Tests replace it with a `ManualClock`.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Measures how long a response waits for the disk. Nil for no limit, in tests on a busy machine.
    var storeClock: (any Clock<Duration>)? = ContinuousClock()
    /// Returns the current time, by which responses expire and entries on disk age.
    public var now: @Sendable () -> Date = { Date() }

    /// Creates options with the default values.
    ///
    /// - Parameter cacheDirectory: The directory of the disk cache; nil for none.
    public init(cacheDirectory: URL? = CacheDirectory.standard()) {
        self.cacheDirectory = cacheDirectory
        maxDecodes = ProcessInfo.processInfo.activeProcessorCount
        #if canImport(ImageIO)
            memoryPressureMonitor = DispatchMemoryPressureMonitor()
            connectivityMonitor = NetworkConnectivityMonitor()
            networkCostMonitor = NetworkCostMonitor()
        #else
            // Fails on an older kernel or in a sandbox. The limits of the caches hold nevertheless.
            memoryPressureMonitor = try? LinuxMemoryPressureMonitor()
            connectivityMonitor = try? LinuxConnectivityMonitor()
        #endif
    }

    /// Creates the components of a loader. Replace some of them, and pass them to `ImageLoader`.
    public func makeParts() -> ImageLoaderParts {
        let scheduler = makeScheduler()
        var configuration = ImageLoaderParts(
            memoryCache: MemoryImageCache(
                byteLimit: memoryByteLimit, policy: memoryEvictionPolicy, clock: clock, lifetime: memoryLifetime),
            transport: makeTransport(scheduler),
            decoder: makeDecoder(),
            scheduler: scheduler, coalescer: TaskCoalescer(), observer: observer,
            memoryPressureMonitor: memoryPressureMonitor,
            retryPolicy: retryPolicy, transferOptions: transferOptions, clock: clock)
        if !cacheKeyRules.isEmpty {
            configuration.urlIdentifier = { [cacheKeyRules] url in cacheKeyRules.key(for: url) }
        }
        configuration.account = account
        configuration.variants = variants
        configuration.networkCostMonitor = networkCostMonitor
        configuration.hints = requestHints
        configuration.formats = decoders.map(\.format)
        configuration.placeholder = { ThumbHash(field: $0.headers["ThumbHash"])?.image }
        configuration.animationByteLimit = animationByteLimit
        configuration.applicationStateMonitor = applicationStateMonitor
        configuration.connectivityMonitor = connectivityMonitor
        configuration.maxNetworkWait = maxNetworkWait
        return configuration
    }

    /// Creates the decoder, in this process or in workers.
    package func makeDecoder() -> any SizedImageDecoder { HDRDecoder(makeImageDecoder(), limits: decodingLimits) }

    private func makeImageDecoder() -> any SizedImageDecoder {
        #if !canImport(ImageIO)
            if var isolation {
                isolation.onEvent = { [observer, onEvent = isolation.onEvent] event in
                    onEvent(event)
                    observer?.handle(ImageLoadEvent(requestID: nil, url: nil, kind: .worker(event)))
                }
                return IsolatedDecoders(
                    formats: decoders.map(\.format), limits: decodingLimits, isolation: isolation)
            }
        #endif
        return DownsamplingDecoder.standard(decoders, limits: decodingLimits)
    }

    private func makePartialDownloads(in folder: URL) -> DiskDataCache? {
        guard partialDownloadByteLimit > 0 else { return nil }
        return DiskDataCache(
            directory: folder.appending(path: "parts"), byteLimit: partialDownloadByteLimit, now: now)
    }

    /// Creates a disk cache without encoding and encryption.
    package func makeDiskCache(in folder: URL) -> DiskDataCache {
        DiskDataCache(directory: folder, byteLimit: diskByteLimit, options: diskOptions, now: now)
    }

    /// Adds encoding and encryption, in this order, if they are set.
    private func transformed(_ cache: DiskDataCache) -> any ImageDataCache {
        let encoding = diskEncoding.makeTransform(
            decodingLimits: decodingLimits, decoders: decoders, encoders: encoders)
        guard let encoding else { return encrypted(cache) }
        return TransformingDataCache(encrypted(cache), transform: encoding)
    }

    private func encrypted(_ cache: DiskDataCache) -> any ImageDataCache {
        guard let diskEncryption else { return cache }
        return TransformingDataCache(cache, transform: EncryptionTransform(diskEncryption))
    }

    /// The maximum number of files that are read at a time, because each is open meanwhile.
    private static let maxFiles = 16

    private func makeScheduler() -> PriorityScheduler {
        let downloads = max(1, maxDownloads)
        let decodes = min(max(1, maxDecodes), DispatchTaskExecutor.maxWidth)
        var (download, file) = (LaneOptions(limit: downloads), LaneOptions(limit: Self.maxFiles))
        let perServer = min(maxDownloadsPerServer, downloads - 1)
        download.perServerLimit = perServer
        download.reserved = Self.reserved(of: downloads)
        download.reservedPerServer = Self.reserved(of: perServer)
        download.startRate = StartRate(burst: 25, perSecond: 80, clock: clock)
        download.stallLimit = StallLimit(
            bytes: 1_024, time: .seconds(1), maxRunning: maxRunningDownloads, clock: clock)
        file.reserved = Self.reserved(of: Self.maxFiles)
        // One more than threads, so that a thread that ends a decode finds the next one ready.
        var decode = LaneOptions(limit: decodes + 1)
        decode.reserved = 2  // a thread, if there are several
        decode.executor = DispatchTaskExecutor(name: "image-decoding", width: decodes)
        return PriorityScheduler(lanes: [.download: download, .file: file, .decode: decode])
    }

    /// The number of places of a limit that prefetches leave free: a third, and at least one.
    private static func reserved(of limit: Int) -> Int { max(1, limit / 3) }

    /// The maximum number of downloads at a time, with those that have stalled.
    private var maxRunningDownloads: Int { 5 * min(max(1, maxDownloads), 1_000) }

    /// Creates the platform's HTTP transport with a cache in a folder.
    package func makeCachingTransport(in folder: URL, options: CachingOptions) -> CachingTransport {
        CachingTransport(
            over: makeNetwork(), cache: transformed(makeDiskCache(in: folder)), options: options,
            clock: storeClock, now: now)
    }

    /// Explains what the disk cache has for an HTTP URL and what a loader with these options would do, without the network.
    /// Empty without a disk cache.
    package func cacheExplanations(of url: URL, headers: HTTPFields) async -> [CacheExplanation] {
        guard let cacheDirectory else { return [] }
        var request = TransportRequest(url: url, headers: headers)
        request.account = account?()
        let transport = makeCachingTransport(in: cacheDirectory, options: makeCachingOptions(makeScheduler()))
        return await transport.explanations(of: request)
    }

    /// A background validation waits for a slot in the download lane, like a download.
    private func makeCachingOptions(_ scheduler: any WorkScheduler) -> CachingOptions {
        CachingOptions(
            policy: httpCachePolicy, keys: cacheKeyRules,
            identity: { CacheIdentity($0, account: $1) },
            runInBackground: { url, work in
                Task.detached {
                    // The task is never cancelled, and the work doesn't throw.
                    try? await scheduler.run(
                        in: .download, server: url.server, priority: LivePriority(.low)
                    ) { await work() }
                }
            },
            observer: { [observer] event in
                if let event = ImageLoadEvent(event) { observer?.handle(event) }
            })
    }

    /// Composes the request modifier, the cache, the resuming transport and the circuit breakers, in this order.
    private func makeTransport(_ scheduler: any WorkScheduler) -> LoaderTransport {
        let originals = cacheDirectory.map(makeDiskCache)
        let parts = cacheDirectory.flatMap(makePartialDownloads)
        let network = CircuitBreakingTransport(
            makeNetwork(), clock: clock, connectivityMonitor: connectivityMonitor)
        var transport: LoaderTransport
        if let originals, diskByteLimit > 0 {
            let cached = CachingTransport(
                over: resuming(network, in: parts), cache: transformed(originals),
                options: makeCachingOptions(scheduler),
                clock: storeClock, now: now)
            transport = .cached(modifying(cached))
        } else {
            transport = .uncached(modifying(UncachedTransport(network)))
        }
        if let originals { transport.maintenance = DiskFolders(caches: [originals, parts].compactMap(\.self)) }
        return transport.adding(FileTransport(fileAccess), forScheme: "file").adding(
            DataURLTransport(), forScheme: "data")
    }

    private func modifying(_ cache: any ResponseCache) -> ModifyingTransport {
        ModifyingTransport(cache, modify: requestModifier, challengeHandler: challengeHandler)
    }

    /// Partial downloads are encrypted but never encoded, because they are not images.
    private func resuming(_ network: any DataTransport, in parts: DiskDataCache?) -> any DataTransport {
        guard let parts else { return network }
        return ResumingTransport(
            network, cache: encrypted(parts), clock: storeClock, now: now,
            onCacheFailure: { [observer] url, failure in
                observer?.handle(ImageLoadEvent(requestID: nil, url: url, kind: .diskFailed(failure)))
            })
    }

    /// Creates the network for http and https, as `makeTransport` and `userAgent` say, for a transport that you compose.
    public func makeNetwork() -> any DataTransport {
        FieldsTransport(
            base: makeTransport(makePlatformTransport()), userAgent: userAgent,
            sendsPriority: requestHints.contains(.priority))
    }

    private func makePlatformTransport() -> any DataTransport {
        #if canImport(ImageIO)
            URLSessionTransport(
                maxConnectionsPerServer: maxDownloadsPerServer,
                allowsConstrainedNetworkAccess: allowsConstrainedNetworkAccess)
        #else
            CurlTransport(
                options: CurlTransport.Options(
                    maxConnectionsPerServer: maxDownloadsPerServer,
                    maxConnections: max(64, maxDownloads, maxRunningDownloads),
                    usesEnvironmentProxy: addressPolicy == nil, addressPolicy: addressPolicy))
        #endif
    }
}
