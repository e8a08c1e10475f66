import Foundation
import ImageLoaderKit
import Testing

// Imports no other module of the package: `ImageLoaderKit` exports the types of its options and their members.

/// A transport of the application's own.
private struct SilentTransport: DataTransport {
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        TransportResponse(
            head: ResponseHead(status: .notFound, headers: [.age: "0"], url: request.url), body: TransportBody(Data()))
    }
}

private struct NoEncryption: DataEncryption {
    func encrypt(_ bytes: Data, context: Data) -> Data { bytes }
    func decrypt(_ encrypted: Data, context: Data) -> Data { encrypted }
    func pseudonym(for text: String) -> String { text }
}

private struct NoObserver: ImageLoaderObserver {
    func handle(_ event: ImageLoadEvent) {}
}

private struct NoPressure: ConditionMonitor {
    var condition: MemoryPressureLevel { .normal }
    func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> ChangeObservation {
        ChangeObservation {}
    }
}

/// Sets every option to a value other than its default.
private func setEveryOption(_ options: inout ImageLoaderOptions) {
    options.cacheDirectory = nil
    options.memoryByteLimit = 1_000
    options.memoryEvictionPolicy = .twoBudgets()
    options.memoryLifetime = .seconds(60)
    options.diskByteLimit = 1_000
    options.diskOptions.minFreeByteCount = 0
    options.diskEncoding = .format(.webP, quality: 0.5)
    options.diskEncryption = NoEncryption()
    options.makeTransport = { _ in SilentTransport() }
    options.userAgent = "Feed/1.0"
    options.fileAccess = .folders([URL(filePath: "/srv/images")])
    options.maxNetworkWait = .seconds(10)
    #if os(Linux)
        options.addressPolicy = { $0.bytes.count == 4 }
        options.isolation = .workers(1)
        options.isolation?.requirement = .preferred
    #endif
    options.httpCachePolicy = FixedLifetimePolicy(lifetime: .seconds(60))
    options.httpCachePolicy = RFC9111Policy(defaultLifetime: .seconds(60))
    options.cacheKeyRules = CacheKeyRules(["*": .dropping(["token"])])
    options.account = { "eve" }
    options.variants = ImageVariants { _ in nil }
    options.networkCostMonitor = SettableConditionMonitor(NetworkCost.high)
    options.requestHints = [.formats, .lowData]
    options.requestModifier = { $0.headers[.authorization] = "Bearer token" }
    options.challengeHandler = { _, head in head.status == .unauthorized }
    options.partialDownloadByteLimit = 0
    options.maxDownloads = 2
    options.maxDownloadsPerServer = 1
    options.maxDecodes = 1
    options.decoders = Array([any ImageDecoder].standard.prefix(1))
    options.encoders = Array([any ImageEncoder].standard.prefix(1))
    options.decodingLimits.maxPixels = 1_000
    options.retryPolicy = TransferRetryPolicy(maxRetries: 1, baseDelay: .seconds(1)) { 0.5 }
    options.transferOptions = TransferOptions(connectTimeout: .seconds(1))
    options.observer = NoObserver()
    options.memoryPressureMonitor = NoPressure()
    options.applicationStateMonitor = SettableConditionMonitor(ApplicationState.foreground)
    options.connectivityMonitor = SettableConditionMonitor(Connectivity.online)
    options.allowsConstrainedNetworkAccess = false
    options.animationByteLimit = 1_000_000
    options.clock = SuspendingClock()
    options.now = { Date(timeIntervalSince1970: 0) }
}

@Suite("One import")
struct OneImportTests {
    @Test("every option can be set with no other import than ImageLoaderKit")
    func everyOption() throws {
        var options = ImageLoaderOptions(cacheDirectory: URL(filePath: "/nowhere"))
        let names = Mirror(reflecting: options).children.compactMap(\.label)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        // Only our own tests can set `storeClock`.
        for name in names where name != "storeClock" {
            #expect(source.contains("options.\(name)"), "not set above: \(name)")
        }
        setEveryOption(&options)
        #expect(options.cacheDirectory == nil)
    }

    @Test("the options reach the loader")
    func injected() {
        var options = ImageLoaderOptions(cacheDirectory: nil)
        setEveryOption(&options)
        let configuration = options.makeParts()
        #expect(configuration.clock is SuspendingClock)
        #expect(configuration.retryPolicy.baseDelay == .seconds(1))
        #expect(configuration.transferOptions.connectTimeout == .seconds(1))
        #expect(configuration.account?() == "eve" && configuration.urlIdentifier != nil)
        #expect(configuration.variants != nil && configuration.networkCostMonitor?.condition == .high)
        #expect(configuration.hints == [.formats, .lowData])
        #expect(configuration.formats == options.decoders.map(\.format))
        #expect(configuration.animationByteLimit == 1_000_000 && configuration.maxNetworkWait == .seconds(10))
        #expect(configuration.applicationStateMonitor != nil && configuration.observer is NoObserver)
        #expect(configuration.connectivityMonitor is SettableConditionMonitor<Connectivity>)
        #expect(configuration.memoryPressureMonitor is NoPressure)
        options.memoryPressureMonitor = nil
        #expect(options.makeParts().memoryPressureMonitor == nil)
    }
}
