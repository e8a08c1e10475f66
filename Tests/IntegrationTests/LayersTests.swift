import Foundation
import HTTPTransports
import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageCore
import ImageDiskCaching
import ImageLoaderKit
import ImageLoading
import LoopbackServer
import Testing

@testable import ImageTesting

@Suite("Memory, disk, network, over real sockets and files", .timeLimit(.minutes(10)))
struct LayersTests {
    @Test(
        "an image is loaded from the network, then from memory, and from disk with a new loader",
        arguments: HTTPTransport.allCases)
    func layers(_ http: HTTPTransport) async throws {
        let jpeg = try Images.jpeg(400, 300)
        let server = try LoopbackServer { _ in .ok(jpeg, headers: Images.fresh) }
        let first = TestLoader(http)
        let request = ImageRequest(server.url("/a.jpg"), fit: 100)
        #expect(first.loader.cachedImage(for: request) == nil)
        #expect(try await first.loader.image(for: request).source == .network)
        #expect(first.loader.cachedImage(for: request)?.decoded.bitmap.size == PixelSize(width: 100, height: 75))
        #expect(try await first.loader.image(for: request).source == .memory)

        let second = TestLoader(http, folder: first.folder)
        #expect(try await second.loader.image(for: request).source == .disk)
        #expect(server.requestCount == 1)
    }

    @Test("the loader reports its sources and empties both caches", arguments: HTTPTransport.allCases)
    func maintenance(_ http: HTTPTransport) async throws {
        let png = try Images.png(40, 30)
        let server = try LoopbackServer { _ in .ok(png, headers: Images.fresh) }
        let test = TestLoader(http)
        let request = ImageRequest(server.url("/a.png"), fit: 20)
        for _ in 0..<2 { _ = try await test.loader.image(for: request) }
        let full = try await test.loader.cacheSizes()
        #expect(full.memory == 20 * 15 * 4 + server.url("/a.png").absoluteString.utf8.count, "pixels and key")
        #expect(try #require(full.disk) > png.count)
        try await test.loader.removeCachedImages(unusedFor: .seconds(3_600))
        #expect(try await test.loader.image(for: request).source == .memory)
        #expect(try await test.loader.image(for: ImageRequest(server.url("/a.png"), fit: 10)).source == .disk)
        try await test.loader.removeAllCachedImages()
        #expect(try await test.loader.cacheSizes().memory == 0)
        #expect(try await test.loader.image(for: request).source == .network)
        let sources = test.kinds.compactMap { if case .succeeded(let source) = $0 { source } else { nil } }
        #expect(Dictionary(grouping: sources) { $0 }.mapValues(\.count) == [.network: 2, .memory: 2, .disk: 1])
    }

    @Test(
        "reload uses the network although both caches have the image, and stores the new one",
        arguments: HTTPTransport.allCases)
    func reload(_ http: HTTPTransport) async throws {
        let images = [try Images.png(40, 30), try Images.png(60, 60)]
        let server = try LoopbackServer { request in
            .ok(images[request.headers["cache-control"] == "no-cache" ? 1 : 0], headers: Images.fresh)
        }
        let test = TestLoader(http)
        var request = ImageRequest(url: server.url("/a.png"))
        _ = try await test.loader.image(for: request)
        request.mode = .reload
        let again = try await test.loader.image(for: request)
        #expect(again.source == .network && again.decoded.bitmap.size.width == 60)
        #expect(server.requestCount == 2)
        request.mode = .standard
        #expect(try await test.loader.image(for: request).source == .memory)
        let relaunched = try await TestLoader(http, folder: test.folder).loader.image(for: request)
        #expect(relaunched.source == .disk && relaunched.decoded.bitmap.size.width == 60)
    }

    @Test(
        "a stale image is validated, and returned as stale if the origin is unreachable or the loader is offline",
        arguments: HTTPTransport.allCases)
    func stale(_ http: HTTPTransport) async throws {
        let png = try Images.png(40, 30)
        var server: LoopbackServer? = try LoopbackServer { request in
            request.headers["if-none-match"] == "\"1\"" ? .response(status: 304) : .ok(png, headers: ["ETag": "\"1\""])
        }
        let test = TestLoader(http)
        var request = ImageRequest(try #require(server).url("/a.png"), fit: 20)
        func source() async throws -> ImageSource {
            try await TestLoader(http, folder: test.folder).loader.image(for: request).source
        }
        #expect(try await source() == .network)
        #expect(try await source() == .validated)
        request.mode = .onlyIfCached
        #expect(try await source() == .stale)
        request.mode = .standard
        server = nil
        #expect(try await source() == .stale)
    }

    @Test(
        "with stale-while-revalidate, a stale image is returned at once, and the new one the next time",
        arguments: HTTPTransport.allCases)
    func refreshed(_ http: HTTPTransport) async throws {
        let images = [try Images.png(40, 30), try Images.png(60, 60)]
        let replies = Counter()
        let server = try LoopbackServer { _ in
            .ok(images[replies.next()], headers: ["Cache-Control": "max-age=0, stale-while-revalidate=600"])
        }
        let test = TestLoader(http)
        let request = ImageRequest(url: server.url("/a.png"), cachePolicy: .diskOnly)
        _ = try await test.loader.image(for: request)
        let shown = try await test.loader.image(for: request)
        #expect(shown.source == .stale && shown.decoded.bitmap.size.width == 40)
        await becomesTrue { test.kinds.contains(.refreshed) }
        // The cache may do it for several requests.
        #expect(test.observer.events.allSatisfy { $0.kind != .refreshed || $0.requestID == nil })
        var offline = request
        offline.mode = .onlyIfCached
        #expect(try await test.loader.image(for: offline).decoded.bitmap.size.width == 60)
        #expect(server.requestCount == 2)
    }

    @Test(
        "accounts that share a folder, and requests with different headers, receive only their own images",
        arguments: HTTPTransport.allCases)
    func accounts(_ http: HTTPTransport) async throws {
        let images = ["ann": try Images.png(10, 10), "bob": try Images.png(20, 20)]
        let server = try LoopbackServer { request in
            .ok(images[request.headers["x-account"] ?? ""] ?? [], headers: Images.fresh)
        }
        let test = TestLoader(http)
        func load(_ account: String?, _ token: String) async throws -> (ImageSource, Int) {
            let loader = TestLoader(http, folder: test.folder) { $0.account = { account } }.loader
            var request = ImageRequest(url: server.url("/me.png"))
            request.headers["X-Account"] = token
            let loaded = try await loader.image(for: request)
            return (loaded.source, loaded.decoded.bitmap.size.width)
        }
        #expect(try await load("ann", "ann") == (.network, 10))
        #expect(try await load("ann", "bob") == (.network, 20))
        #expect(try await load("bob", "bob") == (.network, 20))
        #expect(try await load(nil, "bob") == (.network, 20))
        #expect(try await load("ann", "ann") == (.disk, 10))
    }

    @Test("all four formats load and are detected by signature, not by name", arguments: HTTPTransport.allCases)
    func formats(_ http: HTTPTransport) async throws {
        let bitmap = Images.bitmap(64, 48)
        let encoders: [any ImageEncoder] = [JPEGEncoder(), PNGEncoder(), WebPEncoder(), GIFEncoder()]
        for encoder in encoders {
            let file = Array(try encoder.encode(bitmap, options: EncodingOptions()))
            let server = try LoopbackServer { _ in .ok(file, headers: ["Content-Type": "text/html"]) }
            let test = TestLoader(http)
            let loaded = try await test.loader.image(for: ImageRequest(server.url("/image.bmp"), fit: 32))
            #expect(loaded.decoded.header.format == encoder.format)
            #expect(loaded.decoded.bitmap.size == PixelSize(width: 32, height: 24))
        }
    }

    @Test("file: and data: URLs load without the disk cache", arguments: HTTPTransport.allCases)
    func local(_ http: HTTPTransport) async throws {
        let png = try Images.png(40, 30)
        let test = TestLoader(http)
        try FileManager.default.createDirectory(at: test.folder, withIntermediateDirectories: true)
        let file = test.folder.appending(path: "an image.png")
        try Data(png).write(to: file)
        let fromFile = try await test.loader.image(for: ImageRequest(file, fit: 20))
        #expect(fromFile.decoded.bitmap.size.width == 20)
        #expect(fromFile.source == .local, "the network was not used")
        let data = try #require(URL(string: "data:image/png;base64,\(Data(png).base64EncodedString())"))
        #expect(try await test.loader.image(for: ImageRequest(data, fit: 20)).decoded.bitmap.size.width == 20)
        #expect(!test.kinds.contains { if case .diskMiss = $0 { true } else { false } })
        let missing = ImageRequest(url: test.folder.appending(path: "missing.png"))
        await #expect(throws: ImageError.notFound) { try await test.loader.image(for: missing) }
    }
}
