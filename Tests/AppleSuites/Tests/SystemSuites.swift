import DataTransportFixtures
import Foundation
import ImageCodecImageIO
import ImageContractTesting
import ImageLoaderKit
import ImageMonitoring
import ImageTransportURLSession
import LoopbackServer
import Testing

@Suite("The transport over URLSession", .timeLimit(.minutes(10)))
struct TransportSuite {
    /// What URLSession doesn't offer, as the README of ImageTransportURLSession says.
    private static let unsupported: Set = [
        "a head of one megabyte fails as too large",
        "a small encoded body that unpacks to more than the limit fails as too large",
    ]
    private static let rules =
        (DataTransportContract.rules + DataTransportContract.networkRules
        + DataTransportContract.backpressureRules + DataTransportContract.faultRules)
        .filter { !unsupported.contains($0.name) }

    @Test("passes the contract", arguments: rules)
    func contract(_ rule: ContractRule<DataTransportContract.Subject>) async throws {
        try await rule.check { try TransportFixtures.served($0, to: URLSessionTransport()) }
    }
}

@Suite("The caches in the file system and the memory of a device")
struct CacheSuites {
    @Test("the disk cache passes", arguments: DataCacheContract.rules)
    func disk(_ rule: ContractRule<DataCacheContract.Subject>) async throws {
        let folder = URL.temporaryDirectory.appending(path: "suite-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = DiskCacheOptions()
        options.minFreeByteCount = 0
        try await rule.check { [options] in
            DiskDataCache(
                directory: folder.appending(path: "\(UUID())"), byteLimit: $0, options: options, now: { Date() })
        }
    }

    @Test("the memory cache passes", arguments: ImageCacheContract.rules)
    func memory(_ rule: ContractRule<ImageCacheContract.Subject>) async throws {
        try await rule.check { MemoryImageCache(byteLimit: $0, policy: .lru) }
    }
}

@Suite("The loader with what the system has")
struct LoaderSuite {
    @Test("downloads, decodes, and finds the image in memory and on disk")
    func load() async throws {
        let size = PixelSize(width: 80, height: 40)
        let bitmap = Bitmap(size: size, pixels: Array(repeating: 200, count: 80 * 40 * 4), isOpaque: true)
        let file = try ImageIOEncoder(.jpeg).encode(bitmap, options: EncodingOptions())
        let server = try LoopbackServer { _ in .ok(Array(file), headers: ["Cache-Control": "max-age=60"]) }
        let folder = URL.temporaryDirectory.appending(path: "suite-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let loader = ImageLoader(cacheDirectory: folder)
        let image = try await loader.image(for: server.url("/a"), target: .fit(PixelSize(width: 40, height: 40)))
        #expect(image.source == .network)
        #expect(image.bitmap.size == PixelSize(width: 40, height: 20))
        let again = try await loader.image(for: server.url("/a"), target: .fit(PixelSize(width: 40, height: 40)))
        #expect(again.source == .memory)
        let later = ImageLoader(cacheDirectory: folder)
        #expect(try await later.image(for: server.url("/a")).source == .disk)
    }

    @Test("observes memory and network from the start")
    func monitors() {
        #expect(DispatchMemoryPressureMonitor().condition == .normal)
        #expect(NetworkConnectivityMonitor().condition == .online)
    }
}
