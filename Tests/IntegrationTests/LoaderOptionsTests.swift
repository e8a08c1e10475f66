import Foundation
import ImageCodecPNG
import ImageDiskCaching
import ImageLoaderKit
import Synchronization
import Testing

@testable import ImageTesting

/// What a loader does with each of its options.
@Suite("Options of a loader", .timeLimit(.minutes(10)))
struct LoaderOptionsTests {
    @Test("each option is that of the part which it configures")
    func parts() throws {
        let pressure = SettableConditionMonitor(MemoryPressureLevel.normal)
        let state = SettableConditionMonitor(ApplicationState.foreground)
        let network = SettableConditionMonitor(Connectivity.online)
        let cost = SettableConditionMonitor(NetworkCost.normal)
        var options = ImageLoaderOptions(cacheDirectory: nil)
        options.memoryByteLimit = 1_000
        options.memoryPressureMonitor = pressure
        options.applicationStateMonitor = state
        options.connectivityMonitor = network
        options.networkCostMonitor = cost
        options.maxNetworkWait = .seconds(7)
        options.retryPolicy.maxRetries = 7
        options.transferOptions.maxRedirects = 7
        options.animationByteLimit = 7
        options.requestHints = .formats
        options.decoders = [FakeDecoder()]
        options.account = { "ada" }
        options.variants = .imgproxy(try #require(URL(string: "http://a/")))
        options.cacheKeyRules = CacheKeyRules(["a": .dropping(["sig"])])
        let parts = options.makeParts()
        #expect((parts.memoryCache as? MemoryImageCache)?.byteLimit == 1_000)
        #expect(parts.memoryPressureMonitor as? SettableConditionMonitor<MemoryPressureLevel> === pressure)
        #expect(parts.applicationStateMonitor as? SettableConditionMonitor<ApplicationState> === state)
        #expect(parts.connectivityMonitor as? SettableConditionMonitor<Connectivity> === network)
        #expect(parts.networkCostMonitor as? SettableConditionMonitor<NetworkCost> === cost)
        #expect(parts.maxNetworkWait == .seconds(7) && parts.retryPolicy.maxRetries == 7)
        #expect(parts.transferOptions.maxRedirects == 7 && parts.animationByteLimit == 7)
        #expect(parts.hints == .formats && parts.formats == [.fake])
        #expect(parts.account?() == "ada" && parts.variants != nil && parts.placeholder != nil)
        let urls = try ["http://a/b?sig=1", "http://a/b?sig=2"].map { try #require(URL(string: $0)) }
        #expect(parts.urlIdentifier?(urls[0]) == parts.urlIdentifier?(urls[1]))
    }

    @Test("the memory cache has the policy and the lifetime of the options")
    func memory() throws {
        let clock = ManualClock()
        var options = ImageLoaderOptions(cacheDirectory: nil)
        options.clock = clock
        options.memoryLifetime = .seconds(1)
        options.memoryEvictionPolicy = .lru
        let keys = ["a", "b", "c"].map { ImageRequest(.data(Data(), name: $0)).cacheKey }
        options.memoryByteLimit = 2 * (400 + keys[0].byteCount)
        let cache = try #require(options.makeParts().memoryCache)
        func stored() -> [Bool] { keys.map { cache.image(for: $0) != nil } }
        for key in keys {
            let pixels = [UInt8](repeating: 0, count: 400)
            let bitmap = Bitmap(size: PixelSize(width: 10, height: 10), pixels: pixels)
            cache.insert(DecodedImage(bitmap), for: key, retention: .preferred)
            // By the standard policy, an image that was used more often would stay.
            for _ in 0..<3 { _ = cache.image(for: keys[0]) }
            if key == keys[1] { _ = cache.image(for: key) }
        }
        #expect(stored() == [false, true, true])
        clock.advance(by: .seconds(1))
        #expect(stored() == [false, false, false])
    }

    @Test("the decoder and the disk cache have the limits, the age and the clock of the options")
    func limits() async throws {
        var options = ImageLoaderOptions(cacheDirectory: nil)
        options.decodingLimits.maxSide = 1
        let image = try PNGEncoder().encode(Images.bitmap(2, 1), options: EncodingOptions())
        #expect(throws: ImageDecodingError.limitExceeded(.side, value: 2, allowed: 1)) {
            try options.makeDecoder().header(of: image)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "options-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
        options.now = { time.withLock { $0 } }
        options.diskByteLimit = 1_000_000
        options.diskOptions.maxUnusedTime = .seconds(5)
        let cache = options.makeDiskCache(in: folder)
        #expect(cache.byteLimit == 1_000_000)
        let key = DataCacheKey(identifier: "a")
        try await cache.store(DataCacheEntry(data: Data([1]), creationDate: options.now()), for: key)
        #expect(try await cache.entry(for: key) != nil)
        time.withLock { $0 += 10 }
        #expect(try await cache.entry(for: key) == nil)
    }

    @Test("idle connections of the application's own transport are closed when the network returns")
    func idleConnections() {
        let network = SettableConditionMonitor(Connectivity.online)
        let closed = Counter()
        var options = ImageLoaderOptions(cacheDirectory: nil)
        options.connectivityMonitor = network
        options.makeTransport = { _ in ClosingTransport { _ = closed.next() } }
        let parts = options.makeParts()
        for condition in [Connectivity.offline, .online] { network.condition = condition }
        withExtendedLifetime(parts) {}
        #expect(closed.next() == 1)
    }
}
