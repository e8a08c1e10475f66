import Foundation
import ImageCoalescing
import ImageCore
import ImageDecoding
import ImageDecodingIsolation
import ImageDiskCaching
import ImageHTTPCaching
import ImageLoaderKit
import ImageLoading
import ImageObserving
import ImageScheduling
import ImageTieredCaching
import ImageTransportCurl
import ImageTransporting
package import Logging
import Metrics

/// Creates the parts of a server from its settings. Real clocks enter here.
package struct ServerComposition: Sendable {
    /// Makes the images.
    package let service: ImageService
    /// Answers requests.
    package let handler: RequestHandler
    /// Replaces the parser when presets are reloaded.
    private let parser: CurrentParser
    /// Sends the spans; nil if they aren't collected.
    let spanExporter: SpanExporter?
    /// Sends the metrics; nil if they aren't collected.
    let metricsExporter: MetricsExporter?

    /// - Parameter logger: Receives requests, and failures of caches and of the collector of spans.
    /// - Throws: A `SettingsFailure`, or an error of the file system.
    package init(_ settings: ServerSettings, logger: Logger) throws {
        parser = CurrentParser(try settings.makeParser())
        let scheduler = settings.makeScheduler()
        let shared = try SharedLevel.make(settings)
        let breakers = settings.makeNetwork()
        let metrics = PrometheusMetrics()
        // The operator has chosen the address of the collector. Spans and metrics have a connection each.
        let network = settings.collector.map { _ in settings.makeTrustedNetwork(connections: 2) }
        spanExporter = settings.makeSpanExporter(network, metrics, logger: logger)
        let tracer = settings.makeTracer(spanExporter)
        let observer = settings.makeObserver(metrics, tracer, logger: logger)
        let decoder = settings.makeDecoder { Self.report($0, to: observer, logger) }
        let origins = try settings.makeOrigins(breakers, shared?.cache, metrics, logger: logger)
        let clock = ContinuousClock()
        let levels = try settings.makeResultLevels(shared?.cache)
        let loader = settings.makeLoader(origins, decoder, scheduler, observer)
        let parts = ImageServiceParts(
            parser: parser, originRules: settings.originRules,
            loader: loader, forwarding: settings.forwarding,
            unavailableOriginCount: { breakers.unavailableServerCount }, originPause: .seconds(settings.breakerSeconds),
            removeOrigin: { await loader.removeCachedImages(for: ImageRequest(url: $0)) },
            renderer: ImageRenderer(
                decoder: decoder, limits: settings.limits, refusedSources: settings.refusedSources,
                standardQuality: settings.quality, saveDataQuality: settings.saveDataQuality,
                encoders: settings.encoders, clock: clock),
            formats: settings.formats, usesClientHints: settings.clientHints,
            usesPriority: settings.autoProgressive,
            watermark: settings.watermark, watermarkOpacity: settings.watermarkOpacity,
            scheduler: scheduler,
            cache: settings.makeResultCache(levels, logger: logger),
            purges: Purges(levels: levels, longest: settings.bounds.longest, now: { Date() }),
            fallback: try settings.makeFallback(), settingsKey: settings.resultKey,
            lease: shared?.lease ?? NoLease(), gate: AdmissionGate(limits: settings.admission, clock: clock),
            decoders: .decoders(settings.decoders, clock: clock), bounds: settings.bounds,
            timeLimit: .seconds(settings.requestSeconds), clock: clock, now: { Date() }, tracer: tracer,
            metrics: metrics, logger: logger)
        service = ImageService(parts)
        handler = RequestHandler(
            service: service,
            workCounts: { (waiting: scheduler.waitingCount, running: scheduler.runningCount) },
            rules: settings.responseRules, logger: logger, access: settings.accessLog, pages: settings.pages)
        metricsExporter = settings.makeMetricsExporter(network, handler, metrics, logger: logger)
    }

    /// Uses the presets that the file of the settings has now, if they are valid.
    package func reloadPresets(of settings: ServerSettings) throws(SettingsFailure) {
        parser.replace(with: try settings.makeParser())
    }

    private static func report(_ event: WorkerEvent, to observer: LoaderInstrumentation, _ logger: Logger) {
        observer.handle(ImageLoadEvent(requestID: nil, url: nil, kind: .worker(event)))
        switch event {
        case .failed(let failure): logger.notice("a worker failed", metadata: ["reason": "\(failure)"])
        case .callRefused(let call):
            logger.warning("a worker made a call that was refused", metadata: ["call": "\(call)"])
        case .unprotected(let reason):
            logger.warning("workers can reach the system", metadata: ["reason": "\(reason)"])
        @unknown default: break
        }
    }

    /// Sends spans and metrics until the task is cancelled.
    package func export() async {
        async let spans: Void? = spanExporter?.run()
        async let metrics: Void? = metricsExporter?.run()
        _ = await (spans, metrics)
    }

    /// Sends the last spans and metrics.
    package func finishExport() async {
        async let spans: Void? = spanExporter?.finish()
        async let metrics: Void? = metricsExporter?.finish()
        _ = await (spans, metrics)
    }
}

extension ServerSettings {
    /// Decodes run on threads of their own, so that requests for cached results don't wait for them.
    fileprivate func makeScheduler() -> PriorityScheduler {
        let decode = LaneOptions(
            limit: decoders, executor: DispatchTaskExecutor(name: "image-rendering", width: decoders))
        return PriorityScheduler(lanes: [.download: downloads(clock: ContinuousClock()), .decode: decode])
    }

    /// An origin that sends nothing for a second holds up no other.
    func downloads(clock: any Clock<Duration>) -> LaneOptions {
        var lane = LaneOptions(limit: self.maxDownloads, perServerLimit: self.maxDownloadsPerServer)
        lane.stallLimit = StallLimit(bytes: 1_024, time: .seconds(1), maxRunning: 5 * self.maxDownloads, clock: clock)
        return lane
    }

    /// - Parameter onEvent: Receives events of workers.
    func makeDecoder(onEvent: @escaping @Sendable (WorkerEvent) -> Void = { _ in }) -> any SizedImageDecoder {
        if self.isolation == .off { return limits.makeDecoder(refusing: refusedSources) }
        return IsolatedDecoders(
            formats: [any ImageDecoder].all.map(\.format).filter { !refusedSources.contains($0) },
            limits: limits.worker, isolation: workers(onEvent), buffers: PixelBufferPool(byteLimit: 64 << 20))
    }

    /// Returns what the settings say about workers, if codecs run in them.
    func workers(_ onEvent: @escaping @Sendable (WorkerEvent) -> Void = { _ in }) -> ImageIsolation {
        var workers = ImageIsolation.workers(decoders)
        workers.requirement = self.isolation == .required ? .required : .preferred
        // The deadline of the request comes first.
        workers.timeLimit = .seconds(self.requestSeconds + 1)
        workers.memoryByteLimit = limits.workerBytes
        workers.program = workerProgram
        workers.onEvent = onEvent
        return workers
    }

    /// The circuit breakers, the checks and libcurl.
    fileprivate func makeNetwork() -> CircuitBreakingTransport {
        let addresses = addressRules
        let network = CurlTransport(
            options: CurlTransport.Options(
                maxConnectionsPerServer: self.maxDownloadsPerServer, maxConnections: self.maxDownloads * 2,
                rootsFile: self.rootsFile, usesEnvironmentProxy: false, addressPolicy: { addresses.allows($0) }))
        return CircuitBreakingTransport(
            GuardedTransport(
                transport: network, rules: originRules, userAgent: self.userAgent, forwarding: forwarding),
            threshold: self.breakerFailures > 0 ? self.breakerFailures : .max, pause: .seconds(self.breakerSeconds),
            countsResponses: false, clock: ContinuousClock())
    }

    /// The HTTP cache, over the network and buckets. The header fields of clients are added in front of it, so that no
    /// redirect takes them to another server.
    fileprivate func makeOrigins(
        _ network: CircuitBreakingTransport, _ shared: (any ImageDataCache)?, _ metrics: PrometheusMetrics,
        logger: Logger
    ) throws -> ModifyingTransport {
        let reports = FailureReports(clock: ContinuousClock())
        let failures = Counter(label: "image_loader_disk_failures_total", factory: metrics)
        let caching = CachingTransport(
            over: OriginNetwork(http: network, buckets: makeBuckets()), cache: try makeSourceCache(shared),
            options: CachingOptions(
                policy: SharedCachePolicy(bounds: bounds, missingLifetime: .seconds(self.missingLifetime)),
                identity: { fields, _ in CacheIdentity([:], partition: fields[OriginalClient.identityField]) },
                observer: { event in
                    guard case .cacheFailed(let url, let failure) = event else { return }
                    failures.increment()
                    reports.report(
                        "source cache failed", failure,
                        ["url": "\(LoaderInstrumentation.redacted(url))"], to: logger)
                }),
            clock: ContinuousClock(), now: { Date() })
        return ModifyingTransport(caching, modify: OriginalClient.addFields)
    }

    private func makeBuckets() -> [BucketScheme: BucketTransport] {
        bucketServers.reduce(into: [:]) { transports, server in
            transports[server.scheme] = server.transport(over: makeBucketNetwork()) { Date() }
        }
    }

    private func makeBucketNetwork() -> CurlTransport { makeTrustedNetwork(connections: self.maxDownloads) }

    /// Returns a transport to servers whose addresses the operator has chosen. They may be private.
    fileprivate func makeTrustedNetwork(connections: Int) -> CurlTransport {
        CurlTransport(
            options: CurlTransport.Options(
                maxConnectionsPerServer: connections, maxConnections: connections, rootsFile: self.rootsFile,
                usesEnvironmentProxy: false))
    }

    /// Throws if the sources in buckets need the role of this machine, and it has none.
    package func checkKeys() async throws(SettingsFailure) {
        for server in bucketServers { try await server.checkKeys(over: makeBucketNetwork()) { Date() } }
    }

    fileprivate func makeLoader(
        _ origins: ModifyingTransport, _ decoder: any SizedImageDecoder, _ scheduler: PriorityScheduler,
        _ observer: LoaderInstrumentation
    ) -> ImageLoader {
        let downloadSeconds = self.downloadSeconds > 0 ? self.downloadSeconds : self.requestSeconds
        return ImageLoader(
            ImageLoaderParts(
                memoryCache: nil,
                transport: .cached(origins).adding(
                    FileTransport(.folders(originRules.fileRoots)), forScheme: "file"),
                decoder: decoder,
                scheduler: scheduler, coalescer: TaskCoalescer(), observer: observer,
                retryPolicy: TransferRetryPolicy(maxRetries: 1),
                transferOptions: TransferOptions(
                    connectTimeout: .seconds(self.connectSeconds), stallTimeout: .seconds(self.stallSeconds),
                    totalTimeout: .seconds(downloadSeconds), bodyByteLimit: limits.sourceBytes),
                clock: ContinuousClock()))
    }

    /// The log has a line of each request of a client. The steps of the loader are logged at `debug`.
    fileprivate func makeObserver(
        _ metrics: PrometheusMetrics, _ tracer: ServerTracer, logger: Logger
    ) -> LoaderInstrumentation {
        LoaderInstrumentation(
            logger: self.logLevel <= .debug ? logger : nil, metrics: metrics, tracer: tracer, now: { Date() })
    }

    fileprivate func makeTracer(_ exporter: SpanExporter?) -> ServerTracer {
        guard let exporter, let collector else { return ServerTracer(now: { Date() }) }
        return ServerTracer(
            sampleRatio: collector.sampleRatio, trustsParents: collector.trustsParents, now: { Date() },
            receive: { exporter.add($0) })
    }

    fileprivate func makeSpanExporter(
        _ network: CurlTransport?, _ metrics: PrometheusMetrics, logger: Logger
    ) -> SpanExporter? {
        guard let network, let collector, let url = collector.traces else { return nil }
        let client = CollectorClient(.spans, at: url, of: collector, over: network, logger: logger)
        return SpanExporter(client, metrics: metrics, logger: logger, clock: ContinuousClock())
    }

    fileprivate func makeMetricsExporter(
        _ network: CurlTransport?, _ handler: RequestHandler, _ metrics: PrometheusMetrics, logger: Logger
    ) -> MetricsExporter? {
        guard let network, let collector, let url = collector.metrics else { return nil }
        return MetricsExporter(
            client: CollectorClient(.metrics, at: url, of: collector, over: network, logger: logger),
            metrics: metrics, interval: collector.metricsInterval, clock: ContinuousClock(), now: { Date() },
            start: Date(), updateGauges: { handler.updateGauges() })
    }

    /// A file is read now, and a URL when the image is needed.
    fileprivate func makeFallback() throws(SettingsFailure) -> FallbackImage? {
        let decoder = limits.makeDecoder(refusing: refusedSources)
        let source: FallbackImage.Source
        if let encoded = self.fallbackData {
            guard let content = Data(base64Encoded: encoded) else { throw .invalid("fallbackData", "not Base64") }
            try SettingsFile.checkImage(content, "fallbackData", decoder)
            source = .data(content)
        } else if let address = self.fallbackImage, address.contains("://") {
            guard let url = URL(webAddress: address) else { throw .invalid("fallbackImage", "not a URL") }
            source = .url(url)
        } else if let path = self.fallbackImage {
            let content = try SettingsFile.content(of: path)
            try SettingsFile.checkImage(content, "fallbackImage", decoder)
            source = .data(content)
        } else {
            return nil
        }
        return FallbackImage(
            status: self.fallbackStatus == 0 ? nil : self.fallbackStatus, lifetime: .seconds(self.fallbackLifetime),
            source: source)
    }

    fileprivate func makeResultLevels(_ shared: (any ImageDataCache)?) throws -> [ResultCache.Level] {
        let levels: [(ResultLevel, (any ImageDataCache)?)] = [
            (.disk, try makeDataCache("results", byteLimit: self.resultCacheBytes)), (.shared, shared),
        ]
        return levels.compactMap { name, cache in cache.map { ResultCache.Level(name: name, cache: $0) } }
    }

    fileprivate func makeResultCache(_ levels: [ResultCache.Level], logger: Logger) -> ResultCache {
        let reports = FailureReports(clock: ContinuousClock())
        return ResultCache(
            memoryByteLimit: self.memoryCacheBytes, levels: levels, longest: bounds.longest, now: { Date() },
            report: { level, failure in
                reports.report("result cache failed", failure, ["level": "\(level)"], to: logger)
            })
    }

    private func makeSourceCache(_ shared: (any ImageDataCache)?) throws -> any ImageDataCache {
        guard let disk = try makeDataCache("sources", byteLimit: self.sourceCacheBytes) else {
            return shared ?? NoDataCache()
        }
        guard let shared else { return disk }
        return TieredDataCache(upper: disk, lower: shared)
    }

    private func makeDataCache(_ name: String, byteLimit: Int) throws -> DiskDataCache? {
        guard let folder = self.cacheDirectory.map({ URL(filePath: $0).appending(path: name) }) else { return nil }
        try SettingsFile.createFolder(folder)
        return DiskDataCache(directory: folder, byteLimit: byteLimit) { Date() }
    }
}

extension RenderingLimits {
    /// Returns a decoder of all formats of sources, in this process.
    ///
    /// - Parameter refused: The formats that it does not decode.
    func makeDecoder(refusing refused: Set<ImageFormat>) -> DrawingDecoder {
        let decoders = [any ImageDecoder].all.filter { !refused.contains($0.format) }
        return DrawingDecoder(base: .standard(decoders, limits: decoding, idleByteLimit: 64 << 20))
    }
}

/// A data cache that stores nothing, for servers without a cache directory.
private struct NoDataCache: ImageDataCache {
    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? { nil }
    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {}
    func remove(for key: DataCacheKey) async throws(DataCacheError) {}
    func removeAll() async throws(DataCacheError) {}
}
