import ImageCoalescing
public import ImageCore
public import ImageDiskCaching
public import ImageHTTPCaching
public import ImageLoading
import ImageMemoryCaching
import ImageScheduling
public import ImageTransportCaching
import ImageTransporting

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
/// let loader = ImageLoaderDefaults(cacheFolder: folder).makeLoader()
/// ```
public struct ImageLoaderDefaults: Sendable {
    /// The disk cache's folder, or nil for none. One folder may serve several loaders and processes.
    public var cacheFolder: URL?
    /// Bytes of decoded pictures kept in memory.
    public var memoryByteLimit = 100_000_000
    /// Bytes of encoded originals kept on disk.
    public var diskByteLimit = 500_000_000
    public var diskOptions = DiskCacheOptions()
    /// In which format pictures are kept on disk.
    public var diskEncoding = DiskEncoding.original
    /// Seals what is kept on disk, if it is not nil.
    public var diskSeal: (any DataSeal)?
    /// What is kept of HTTP, and when it is asked about: by the book unless set.
    public var httpCachePolicy: any HTTPCachePolicy = RFC9111Policy()
    /// Which addresses mean the same picture.
    public var cacheKeyRules = CacheKeyRules()
    /// Whose pictures these are, where one folder serves several accounts: none sees another's.
    public var account: String?
    public var maxDownloads = 6
    public var maxDownloadsPerHost = 6
    /// Pictures decoded at a time; the number of processor cores unless set.
    public var maxDecodes: Int
    public var decodingLimits = DecodingLimits.default
    /// How often a failed transfer is tried again.
    public var retries = 2
    public var transferLimits = TransferLimits()
    public var observer: (any ImageLoaderObserver)?
    /// Whether the loader gives memory back when the system says that it is short.
    public var heedsMemoryPressure = true

    public init(cacheFolder: URL?) {
        self.cacheFolder = cacheFolder
        maxDecodes = ProcessInfo.processInfo.activeProcessorCount
    }

    /// A loader with parts of its own. Make one and keep it: loaders share nothing but the folder.
    public func makeLoader() -> ImageLoader {
        ImageLoader(makeConfiguration())
    }

    /// The parts, for whoever wants to exchange some of them before making a loader.
    public func makeConfiguration() -> ImageLoaderConfiguration {
        let network = makeNetwork()
        let cache = cacheFolder.map { makeCachingTransport(over: network, in: $0, rules: makeCachingRules()) }
        return ImageLoaderConfiguration(
            memoryCache: MemoryImageCache(byteLimit: memoryByteLimit), responseCache: cache,
            transport: Self.makeTransport(http: cache ?? network),
            decoder: ImageDecoders.makeDecoder(limits: decodingLimits),
            scheduler: makeScheduler(), imageCoalescer: SharedWorkCoalescer(), dataCoalescer: SharedWorkCoalescer(),
            observer: observer, memoryPressureMonitor: heedsMemoryPressure ? makeMemoryPressureMonitor() : nil,
            retryPolicy: RetryPolicy(retries: retries) { Double.random(in: 0..<1) },
            transferLimits: transferLimits, clock: ContinuousClock())
    }

    /// The disk cache in a folder, on its own, without encoding or seal.
    public func makeDiskCache(in folder: URL) -> DiskDataCache {
        DiskDataCache(directory: folder, byteLimit: diskByteLimit, options: diskOptions) { Date() }
    }

    /// A cache that encodes first and seals then, as far as either is wanted.
    private func transformed(_ cache: DiskDataCache) -> any DataCache {
        var transformed: any DataCache = cache
        if let diskSeal { transformed = TransformingDataCache(transformed, transform: SealingTransform(diskSeal)) }
        if let encoding = diskEncoding.makeTransform(decodingLimits: decodingLimits) {
            transformed = TransformingDataCache(transformed, transform: encoding)
        }
        return transformed
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
            .download: LaneConfiguration(limit: maxDownloads, perHostLimit: maxDownloadsPerHost),
            .decode: LaneConfiguration(
                limit: maxDecodes, executor: DispatchTaskExecutor(name: "image-decoding", width: maxDecodes)),
        ])
    }

    /// The platform's transport for HTTP, behind a cache in a folder that obeys `rules`.
    public func makeCachingTransport(in folder: URL, rules: CachingRules) -> CachingTransport {
        makeCachingTransport(over: makeNetwork(), in: folder, rules: rules)
    }

    private func makeCachingTransport(
        over network: any DataTransport, in folder: URL, rules: CachingRules
    ) -> CachingTransport {
        CachingTransport(over: network, cache: transformed(makeDiskCache(in: folder)), rules: rules) { Date() }
    }

    private func makeCachingRules() -> CachingRules {
        CachingRules(
            policy: httpCachePolicy, keys: cacheKeyRules,
            identity: { [account] fields in CacheIdentity(fields, account: account) },
            observer: { [observer] event in
                if let event = ImageLoadEvent(event) { observer?.loader(did: event) }
            })
    }

    private static func makeTransport(http: any DataTransport) -> any DataTransport {
        SchemeTransport(["http": http, "https": http, "file": FileTransport(), "data": DataURLTransport()])
    }

    private func makeNetwork() -> any DataTransport {
        #if os(Linux)
            CurlTransport(
                configuration: CurlTransport.Configuration(
                    maxConnectionsPerHost: maxDownloadsPerHost, maxConnections: max(64, maxDownloads)))
        #else
            URLSessionTransport()
        #endif
    }
}
