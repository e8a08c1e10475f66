import Foundation
import HTTPTransports
import ImageDiskCaching
import LoopbackServer
import Testing

@testable import ImageLoaderKit
@testable import ImageTesting

@Suite("Single images on disk, and caches of 0 bytes", .timeLimit(.minutes(10)))
struct EntriesOnDiskTests {
    private let http = HTTPTransport.allCases[0]

    private func server() throws -> LoopbackServer {
        let jpeg = try Images.jpeg(64, 32)
        return try LoopbackServer { request in
            request.path == "/moved" ? .redirect(to: "/photo", status: 301) : .ok(jpeg, headers: Images.fresh)
        }
    }

    @Test("an image is removed from disk for later loaders too, with the response that a redirect leads to")
    func removing() async throws {
        let (server, first) = (try server(), TestLoader(http))
        let (moved, other) = (ImageRequest(server.url("/moved"), fit: 16), ImageRequest(server.url("/other"), fit: 16))
        for request in [moved, other] { _ = try await first.loader.image(for: request) }
        #expect(await first.loader.cachedData(for: moved) == Data(try Images.jpeg(64, 32)))
        await first.loader.removeCachedImages(for: moved)
        let second = TestLoader(http, folder: first.folder)
        for request in [moved, ImageRequest(url: server.url("/photo"))] {
            #expect(await !first.loader.isCached(request))
            #expect(await !second.loader.isCached(request))
        }
        #expect(await second.loader.isCached(other))
        #expect(try await second.loader.image(for: moved).source == .network)
    }

    @Test("inserted bytes are the original on disk, for later loaders too, and replace images in memory")
    func inserting() async throws {
        let (server, png) = (try server(), Data(try Images.png(8, 4)))
        let test = TestLoader(http) { options in
            options.account = { "eve" }
            options.requestModifier = { $0.headers[.authorization] = "Bearer token" }
        }
        let url = ImageRequest(url: server.url("/uploaded"))
        let fetch = ImageRequest(.fetch(name: "a") { throw ImageError.notFound })
        _ = try await test.loader.image(for: url)
        for request in [url, fetch] {
            #expect(await test.loader.cacheData(png, for: request))
            #expect(await test.loader.cachedData(for: request) == png)
            let loaded = try await test.loader.image(for: request)
            #expect(loaded.source == .disk && loaded.decoded.bitmap.size == PixelSize(width: 8, height: 4))
        }
        #expect(await test.loader.cacheData(png, for: url, lifetime: .zero))
        #expect(try await test.loader.image(for: url).source == .network)
        #expect(server.requestCount == 2)
        #expect(await !test.loader.cacheData(png, for: ImageRequest(.data(hashing: png))))
        #expect(await !TestLoader(http) { $0.cacheDirectory = nil }.loader.cacheData(png, for: url))
    }

    @Test("with an account, an encrypted disk and a request modifier, an image is still found and removed")
    func layers() async throws {
        let server = try server()
        let test = TestLoader(http) { options in
            options.account = { "eve" }
            options.diskEncryption = FakeEncryption(key: 7)
            options.requestModifier = { $0.headers[.authorization] = "Bearer token" }
        }
        let other = TestLoader(http, folder: test.folder) { options in
            options.account = { "bob" }
            options.diskEncryption = FakeEncryption(key: 7)
        }
        for request in [ImageRequest(server.url(), fit: 16), ImageRequest(.fetch(name: "a") { try Self.png() })] {
            _ = try await test.loader.data(for: request)
            #expect(await test.loader.isCached(request))
            #expect(await !other.loader.isCached(request))
            #expect(await test.loader.cachedData(for: request) != nil)
            await test.loader.removeCachedImages(for: request)
            #expect(await !test.loader.isCached(request))
        }
    }

    private static func png() throws -> Data { Data(try Images.png(8, 8)) }

    @Test(
        "removeCachedImages(unusedFor:) measures the ages in memory and on disk by the clock and the time of the options"
    )
    func ages() async throws {
        let (server, clock, now) = (try server(), ManualClock(), Watched(Date(timeIntervalSince1970: 1_700_000_000)))
        let test = TestLoader(http) { options in
            options.clock = clock
            options.now = { now.value }
        }
        let (old, young) = (ImageRequest(server.url("/old"), fit: 16), ImageRequest(server.url("/young"), fit: 16))
        _ = try await test.loader.image(for: old)
        clock.advance(by: .seconds(100))
        now.change { $0 += 100 }
        _ = try await test.loader.image(for: young)
        try await test.loader.removeCachedImages(unusedFor: .seconds(60))
        #expect(test.loader.cachedImage(for: old) == nil)
        #expect(await !test.loader.isCached(old))
        #expect(test.loader.cachedImage(for: young) != nil)
        #expect(await test.loader.cachedData(for: young) != nil)
    }

    @Test("if a folder can't be emptied, the next one still is", arguments: [nil, .seconds(-1)] as [Duration?])
    func brokenFolder(age: Duration?) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "folders-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let caches = ["a", "b"].map { DiskDataCache(directory: folder.appending(path: $0)) { time } }
        // The counter of the first cache can't be opened.
        let counter = folder.appending(path: "a/usage")
        try FileManager.default.createDirectory(at: counter, withIntermediateDirectories: true)
        let entry = DataCacheEntry(data: Data([1]), creationDate: time)
        try await caches[1].store(entry, for: DataCacheKey(identifier: "part"))
        let folders = DiskFolders(caches: caches)
        await #expect(throws: DataCacheError.self) {
            if let age { try await folders.removeAll(unusedFor: age) } else { try await folders.removeAll() }
        }
        #expect(try await caches[1].status().entryCount == 0)
    }

    @Test("prefetching to a cache of 0 bytes, or to disk without a directory, sends nothing", arguments: [true, false])
    func nowhere(hasDirectory: Bool) async throws {
        let server = try server()
        let test = TestLoader(http) { options in
            (options.memoryByteLimit, options.diskByteLimit) = (0, 0)
            if !hasDirectory { (options.cacheDirectory, options.diskByteLimit) = (nil, 500_000_000) }
        }
        for destination in ImagePrefetcher.Destination.allCases {
            let prefetcher = ImagePrefetcher(loader: test.loader, destination: destination)
            prefetcher.start([ImageRequest(url: server.url()), ImageRequest(.fetch(name: "a") { try Self.png() })])
            await prefetcher.waitUntilFinished()
        }
        #expect(server.requestCount == 0)
        #expect(test.kinds.isEmpty)
    }
}
