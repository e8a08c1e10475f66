import ImageCoalescing
public import ImageCore
public import ImageDiskCaching
public import ImageHTTPCaching
public import ImageLoading
import ImageMemoryCaching
import ImageScheduling
public import ImageTransportCaching
import ImageTransportResuming
public import ImageTransporting

#if os(Linux)
    import ImageTransportCurl
#else
    import ImageTransportURLSession
#endif

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Puts a loader together from the implementations of this package: the only place in it that names them.
///
/// ```swift
/// let loader = ImageLoaderOptions(cacheDirectory: folder).makeLoader()
/// ```
public struct ImageLoaderOptions: Sendable {
    /// The disk cache's folder, or nil for none. One folder may serve several loaders and processes.
    public var cacheDirectory: URL?
    /// Bytes of decoded images kept in memory.
    public var memoryByteLimit = 100_000_000
    /// Bytes of encoded originals kept on disk.
    public var diskByteLimit = 500_000_000
    public var diskOptions = DiskCacheOptions()
    /// In which format images are kept on disk.
    public var diskEncoding = DiskEncoding.original
    /// Seals what is kept on disk, if it is not nil.
    public var diskEncryption: (any DataEncryption)?
    /// What speaks HTTP; the platform's own unless set, with the limits below. One that is set has limits of its own.
    public var transport: (any DataTransport)?
    /// What is kept of HTTP, and when it is asked about: by the book unless set.
    public var httpCachePolicy: any HTTPCachePolicy = RFC9111Policy()
    /// Which addresses mean the same image.
    public var cacheKeyRules = CacheKeyRules()
    /// Whose images these are, where one folder serves several accounts: none sees another's.
    public var account: String?
    /// Changes each request over HTTP before the cache is looked into: adds a token, for one. It is asked for each, also where a
    /// stored image then answers.
    ///
    /// What it adds tells identities apart: with another token, nothing stored is found. Tokens that change while the user stays the same
    /// want `account` to be set: then that alone says whose the images are. Images in memory know neither: take a new loader for
    /// another user.
    public var requestModifier: ModifyingTransport.Modifier?
    /// What to send after a refusal with 401, if anything: with a fresh token, for one.
    public var challengeAnswer: ModifyingTransport.ChallengeHook?
    /// Bytes of interrupted downloads kept in the cache's folder, so that they go on where they broke off, after a relaunch too.
    /// 0 for none.
    public var partialDownloadByteLimit = 100_000_000
    /// Downloads at a time; less than 1 counts as 1, since a lane of none would hold every request for ever.
    public var maxDownloads = 6
    public var maxDownloadsPerHost = 6
    /// Images decoded at a time; the number of processor cores unless set. Less than 1 counts as 1.
    public var maxDecodes: Int
    public var decodingLimits = DecodingLimits.default
    /// How often a failed transfer is tried again.
    public var retries = 2
    public var transferLimits = TransferLimits()
    public var observer: (any ImageLoaderObserver)?
    /// Whether the loader gives memory back when the system says that it is short.
    public var heedsMemoryPressure = true
    /// Tells whether anybody sees the application: then downloads that nobody waits for stop while nobody does. Nil unless set: no platform's
    /// own is here. `SettableConditionMonitor` takes what the application knows.
    public var applicationStateMonitor: (any ConditionMonitor<ApplicationState>)?
    /// Tells whether there is a network: then downloads that failed without one wait for it. Nil unless set; ImageConnectivity has one for
    /// Linux.
    public var connectivityMonitor: (any ConditionMonitor<Connectivity>)?
    /// Asked for time while urgent downloads run in the background. Nil unless set, as above.
    public var backgroundTime: (any BackgroundTimeProvider)?

    public init(cacheDirectory: URL?) {
        self.cacheDirectory = cacheDirectory
        maxDecodes = ProcessInfo.processInfo.activeProcessorCount
    }

    /// A loader with parts of its own. Make one and keep it: loaders share nothing but the folder.
    public func makeLoader() -> ImageLoader {
        ImageLoader(makeConfiguration())
    }

    /// The parts, for whoever wants to exchange some of them before making a loader.
    public func makeConfiguration() -> ImageLoaderConfiguration {
        let scheduler = makeScheduler()
        let stores = cacheDirectory.map(makeStores)
        let http = makeHTTP(scheduler, stores)
        var configuration = ImageLoaderConfiguration(
            memoryCache: MemoryImageCache(byteLimit: memoryByteLimit), responseCache: http.cache,
            transport: Self.makeTransport(http: http.transport),
            decoder: ImageDecoders.makeDecoder(limits: decodingLimits),
            scheduler: scheduler, imageCoalescer: TaskCoalescer(), dataCoalescer: TaskCoalescer(),
            observer: observer, memoryPressureMonitor: heedsMemoryPressure ? makeMemoryPressureMonitor() : nil,
            retryPolicy: RetryPolicy(retries: retries) { Double.random(in: 0..<1) },
            transferLimits: transferLimits, clock: ContinuousClock())
        configuration.diskStore = stores
        configuration.applicationStateMonitor = applicationStateMonitor
        configuration.connectivityMonitor = connectivityMonitor
        configuration.backgroundTime = backgroundTime
        configuration.fetchedOriginals = stores.map { stores in
            FetchedOriginals(cache: transformed(stores.originals), partition: account) { Date() }
        }
        return configuration
    }

    private func makeStores(in folder: URL) -> DiskStores {
        let parts = folder.appending(path: "parts")
        return DiskStores(
            originals: makeDiskCache(in: folder),
            parts: partialDownloadByteLimit > 0
                ? DiskDataCache(directory: parts, byteLimit: partialDownloadByteLimit, now: { Date() }) : nil)
    }

    /// The disk cache in a folder, on its own, without encoding or encryption.
    public func makeDiskCache(in folder: URL) -> DiskDataCache {
        DiskDataCache(directory: folder, byteLimit: diskByteLimit, options: diskOptions) { Date() }
    }

    /// A cache that encodes first and encrypts then, as far as either is wanted.
    private func transformed(_ cache: DiskDataCache) -> any DataCache {
        guard let encoding = diskEncoding.makeTransform(decodingLimits: decodingLimits) else { return encrypted(cache) }
        return TransformingDataCache(encrypted(cache), transform: encoding)
    }

    private func encrypted(_ cache: DiskDataCache) -> any DataCache {
        guard let diskEncryption else { return cache }
        return TransformingDataCache(cache, transform: EncryptionTransform(diskEncryption))
    }

    /// The platform's monitor of memory pressure; nil where the system tells nothing of it.
    public func makeMemoryPressureMonitor() -> (any MemoryPressureMonitor)? {
        #if os(Linux)
            do throws(MemoryPressureFailure) {
                return try LinuxMemoryPressureMonitor()
            } catch {
                // An older kernel or a sandbox: the budgets hold all the same, and there is nobody to be asked.
                return nil
            }
        #else
            return DispatchMemoryPressureMonitor()
        #endif
    }

    private func makeScheduler() -> PriorityScheduler {
        PriorityScheduler(lanes: [
            .download: LaneConfiguration(
                limit: max(1, maxDownloads), perHostLimit: maxDownloadsPerHost,
                startRate: StartRate(burst: 25, perSecond: 80, clock: ContinuousClock())),
            .decode: LaneConfiguration(
                limit: max(1, maxDecodes), executor: DispatchTaskExecutor(name: "image-decoding", width: maxDecodes)),
        ])
    }

    /// The platform's transport for HTTP, behind a cache in a folder that obeys `rules`.
    public func makeCachingTransport(in folder: URL, rules: CachingRules) -> CachingTransport {
        makeCachingTransport(over: makeNetwork(), in: makeDiskCache(in: folder), rules: rules)
    }

    private func makeCachingTransport(
        over network: any DataTransport, in store: DiskDataCache, rules: CachingRules
    ) -> CachingTransport {
        CachingTransport(over: network, cache: transformed(store), rules: rules) { Date() }
    }

    /// A validation in the background waits for a slot in the download lane, like a download.
    private func makeCachingRules(_ scheduler: any WorkScheduler) -> CachingRules {
        CachingRules(
            policy: httpCachePolicy, keys: cacheKeyRules,
            identity: { [account] fields in CacheIdentity(fields, account: account) },
            inBackground: { url, work in
                Task.detached {
                    // Nobody holds the task, so nobody cancels it, and the work throws nothing.
                    try? await scheduler.run(in: .download, host: url.host(), priority: LivePriority(.low), work)
                }
            },
            observer: { [observer] event in
                if let event = ImageLoadEvent(event) { observer?.handle(event) }
            })
    }

    /// From the loader to the network: what changes requests, the cache, what goes on with interrupted downloads.
    private func makeHTTP(
        _ scheduler: any WorkScheduler, _ stores: DiskStores?
    ) -> (transport: any DataTransport, cache: (any ResponseCache)?) {
        let network = makeNetwork()
        let cache = stores.map { stores in
            makeCachingTransport(
                over: resuming(network, in: stores.parts), in: stores.originals, rules: makeCachingRules(scheduler))
        }
        guard requestModifier != nil || challengeAnswer != nil else { return (cache ?? network, cache) }
        let modifying = ModifyingTransport(
            cache ?? network, keepsIdentity: account != nil, modify: requestModifier,
            answeringChallenges: challengeAnswer)
        return (modifying, cache.map { modifying.responseCache(over: $0) })
    }

    /// Parts are encrypted as whole bodies are, but never encoded: they are no images.
    private func resuming(_ network: any DataTransport, in parts: DiskDataCache?) -> any DataTransport {
        guard let parts else { return network }
        return ResumingTransport(
            network, keepingPartsIn: encrypted(parts), partition: account ?? "", now: { Date() },
            onStoreFailure: { [observer] url, failure in
                observer?.handle(ImageLoadEvent(request: 0, url: url, kind: .diskFailed(failure)))
            })
    }

    private static func makeTransport(http: any DataTransport) -> any DataTransport {
        SchemeTransport(["http": http, "https": http, "file": FileTransport(), "data": DataURLTransport()])
    }

    private func makeNetwork() -> any DataTransport {
        if let transport { return transport }
        #if os(Linux)
            return CurlTransport(
                configuration: CurlTransport.Configuration(
                    maxConnectionsPerHost: maxDownloadsPerHost, maxConnections: max(64, maxDownloads)))
        #else
            return URLSessionTransport()
        #endif
    }
}
