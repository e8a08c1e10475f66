import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageTransporting
import Testing

@testable import ImageTesting

@Suite("Single images in the caches", .timeLimit(.minutes(10)))
struct EntryTests {
    private let fixture = LoaderFixture()

    private var loader: ImageLoader { fixture.loader }

    private func fetch(_ name: String, adjust: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
        var request = ImageRequest(.fetch(name: name) { LoaderFixture.image })
        adjust(&request)
        return request
    }

    private let drawn = DecodedImage(
        bitmap: Bitmap(size: PixelSize(width: 7, height: 1), pixels: Array(repeating: 255, count: 28), isOpaque: true),
        header: ImageHeader(format: .fake, storedSize: PixelSize(width: 7, height: 1)))

    /// Requests whose policy or mode would keep a request from reading or writing the caches.
    static let restrictions: [@Sendable (inout ImageRequest) -> Void] = [
        { _ in }, { $0.cachePolicy = .disabled }, { $0.mode = .onlyIfCached }, { $0.mode = .reload },
        { $0.priority = .low },
        { $0.cachePolicy = ImageCachePolicy(memory: .readOnly, disk: .readOnly) },
    ]

    // MARK: remove

    @Test("remove(_:) removes all sizes and processings of an image from memory, and its original from disk, no other")
    func removing() async throws {
        let images = [
            fixture.request("a"), fixture.request("a", fit: nil),
            fixture.request("a") { $0.processors = [FakeProcessor("x")] },
        ]
        let other = fixture.request("b")
        for request in images + [other] { _ = try await loader.image(for: request) }
        await loader.removeCachedImages(for: images[0])
        #expect(Set(fixture.memory.images.keys) == [other.cacheKey])
        #expect(fixture.storedOriginals.count == 1)
        #expect(try await loader.image(for: images[0]).source == .network)
        #expect(try await loader.image(for: other).source == .memory)
    }

    @Test("remove(_:), contains(_:) and cachedData(for:) ignore policy, mode and priority", arguments: restrictions)
    func restricted(_ restrict: @escaping @Sendable (inout ImageRequest) -> Void) async throws {
        for plain in [fixture.request("a"), fetch("a")] {
            _ = try await loader.image(for: plain)
            var request = plain
            restrict(&request)
            #expect(await loader.isCached(request))
            #expect(await loader.cachedData(for: request) == LoaderFixture.image)
            await loader.removeCachedImages(for: request)
            #expect(await !loader.isCached(plain))
            #expect(await loader.cachedData(for: plain) == nil)
        }
        #expect(fixture.memory.images.isEmpty && fixture.disk.entries.isEmpty)
    }

    @Test("headers and identifier distinguish originals that are removed")
    func identities() async throws {
        let (finnish, named) = (
            fetch("a") { $0.headers[.acceptLanguage] = "fi" }, fetch("b") { $0.identifier = "c" }
        )
        for request in [fetch("a"), finnish, fetch("b"), named] { _ = try await loader.image(for: request) }
        for request in [finnish, named] { await loader.removeCachedImages(for: request) }
        #expect(fixture.storedOriginals.count == 2)
        for request in [fetch("a"), fetch("b")] { #expect(await loader.isCached(request)) }
        #expect(Set(fixture.memory.images.keys) == [fetch("a").cacheKey, fetch("b").cacheKey])
    }

    @Test("after remove(_:), an older request doesn't store its image in memory, and no later one joins it")
    func removedMeanwhile() async throws {
        let (stepped, gate) = (LoaderFixture.stepped(), TestGate())
        let old = ScriptedTransport.Reply(body: [.wait(gate), .piece(LoaderFixture.image)])
        let request = stepped.request("a", fit: nil, first: old, then: .ok(FakeImage.encode(width: 20, height: 20))) {
            $0.cachePolicy.disk = .disabled
        }
        let older = stepped.start { try await stepped.loader.image(for: request).decoded.bitmap.size.width }
        stepped.run()
        let removal = stepped.start { await stepped.loader.removeCachedImages(for: request) }
        stepped.run()
        try await removal.value
        let later = stepped.start { try await stepped.loader.image(for: request).decoded.bitmap.size.width }
        stepped.run()
        #expect(try await later.value == 20)
        gate.open()
        stepped.run()
        #expect(try await older.value == 40)
        #expect(stepped.memory.images.values.map(\.bitmap.size.width) == [20])
    }

    @Test("a request that reads the original from disk during remove(_:) doesn't put its image back into memory")
    func readMeanwhile() async throws {
        let (stepped, gate) = (LoaderFixture.stepped(), TestGate())
        let request = stepped.request("a")
        _ = stepped.start { try await stepped.loader.data(for: request) }
        stepped.run()
        stepped.disk.hold(.remove, at: gate)
        let removal = stepped.start { await stepped.loader.removeCachedImages(for: request) }
        stepped.run()
        stepped.limitDecodes(to: 0)
        let reader = stepped.start { try await stepped.loader.image(for: request).source }
        stepped.run()
        gate.open()
        stepped.run()
        try await removal.value
        stepped.limitDecodes(to: 2)
        stepped.run()
        #expect(try await reader.value == .disk)
        #expect(stepped.memory.images.isEmpty && stepped.disk.entries.isEmpty)
    }

    @Test("a disk that fails while an image is removed or looked up is reported to the observer")
    func brokenDisk() async throws {
        _ = try await loader.image(for: fetch("a"))
        for operation in [InMemoryDataCache.Operation.remove, .entry] { fixture.disk.fail(operation, with: .noSpace) }
        await loader.removeCachedImages(for: fetch("a"))
        #expect(await !loader.isCached(fetch("a")))
        let reported = fixture.observer.events.filter { $0.kind == .diskFailed(.noSpace) }
        #expect(!reported.isEmpty && reported.allSatisfy { $0.requestID == nil })
        #expect(fixture.memory.images.isEmpty)
    }

    // MARK: insert

    @Test("an inserted image is found for its size and processors only, whatever the policy", arguments: restrictions)
    func inserting(_ restrict: @escaping @Sendable (inout ImageRequest) -> Void) async throws {
        let plain = fixture.request("a") { $0.processors = [FakeProcessor("x")] }
        var request = plain
        restrict(&request)
        loader.cacheImage(drawn, for: request)
        #expect(loader.cachedImage(for: plain)?.decoded == drawn)
        #expect(try await loader.image(for: plain).source == .memory)
        #expect(loader.cachedImage(for: fixture.request("a")) == nil)
        #expect(await loader.isCached(request))
        #expect(await loader.cachedData(for: request) == nil)
        #expect(fixture.transport.sendCount == 0)
    }

    @Test("an older request doesn't replace an inserted image", arguments: [ImageLoadMode.standard, .reload])
    func insertedMeanwhile(_ mode: ImageLoadMode) async throws {
        let (stepped, gate) = (LoaderFixture.stepped(), TestGate())
        let held = ScriptedTransport.Reply(body: [.wait(gate), .piece(LoaderFixture.image)])
        let request = stepped.request("a", fit: nil, first: held) { $0.mode = mode }
        let older = stepped.start { try await stepped.loader.image(for: request).decoded.bitmap.size.width }
        stepped.run()
        stepped.loader.cacheImage(drawn, for: request)
        gate.open()
        stepped.run()
        #expect(try await older.value == 40)
        #expect(stepped.memory.images[request.cacheKey] == drawn)
    }

    @Test("without caches, nothing is found, and inserting and removing do nothing")
    func noCaches() async throws {
        let bare = LoaderFixture {
            $0.memoryCache = nil
            $0.transport = .uncached($0.transport)
        }
        for request in [bare.request("a"), fetch("a"), ImageRequest(.data(hashing: LoaderFixture.image))] {
            bare.loader.cacheImage(drawn, for: request)
            await bare.loader.removeCachedImages(for: request)
            #expect(await !bare.loader.isCached(request))
            #expect(await bare.loader.cachedData(for: request) == nil)
        }
    }

    // MARK: contains

    @Test("an image counts as contained if it is in memory at its size, or its original is on disk, even a stale one")
    func containing() async throws {
        let request = fixture.request("a")
        #expect(await !loader.isCached(request))
        _ = try await loader.image(for: request)
        fixture.memory.removeAll()
        let eventCount = fixture.observer.events.count
        fixture.wallTime.advance(100_000)
        for found in [request, fixture.request("a", fit: 5)] {
            #expect(await loader.isCached(found))
            #expect(await loader.cachedData(for: found) == LoaderFixture.image)
        }
        #expect(fixture.observer.events.count == eventCount)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("a stored error is no image")
    func storedError() async throws {
        let request = fixture.request("missing", then: .status(.notFound, headers: [.cacheControl: "max-age=600"]))
        for _ in 0..<2 {
            await #expect(throws: ImageError.notFound) { try await loader.image(for: request) }
        }
        #expect(fixture.transport.sendCount == 1)
        #expect(fixture.observer.kinds().suffix(2) == [.diskHit(bytes: 0), .failed(.notFound)])
        #expect(await !loader.isCached(request))
        #expect(await loader.cachedData(for: request) == nil)
    }

    @Test("bytes of a request and local URLs are only in memory")
    func local() async throws {
        let encoded = LoaderFixture.image.base64EncodedString()
        let url = try #require(URL(string: "data:application/octet-stream;base64,\(encoded)"))
        let file = URL(filePath: "/images/a")
        for request in [ImageRequest(.data(hashing: LoaderFixture.image))] + [url, file].map({ ImageRequest(url: $0) })
        {
            #expect(await !loader.cacheData(LoaderFixture.image, for: request))
            #expect(await loader.cachedData(for: request) == nil)
            loader.cacheImage(drawn, for: request)
            #expect(await loader.isCached(request))
            await loader.removeCachedImages(for: request)
            #expect(await !loader.isCached(request))
        }
    }

    // MARK: removeCachedImages(unusedFor:)

    @Test("removeCachedImages(unusedFor:) leaves images in memory that were stored or shown since")
    func ages() async throws {
        let (old, shown, young) = (fixture.request("old"), fetch("shown"), fixture.request("young"))
        for request in [old, shown] { _ = try await loader.image(for: request) }
        fixture.clock.advance(by: .seconds(100))
        #expect(loader.cachedImage(for: shown) != nil)
        loader.cacheImage(drawn, for: young)
        fixture.clock.advance(by: .seconds(10))
        try await loader.removeCachedImages(unusedFor: .seconds(110))
        #expect(fixture.memory.images.count == 3)
        try await loader.removeCachedImages(unusedFor: .seconds(60))
        #expect(Set(fixture.memory.images.keys) == [shown.cacheKey, young.cacheKey])
        fixture.clock.advance(by: .seconds(1))
        try await loader.removeCachedImages(unusedFor: .zero)
        #expect(fixture.memory.images.isEmpty)
    }

    @Test("a request that is made while an image is removed doesn't join an older download")
    func madeDuringRemoval() async throws {
        let (fixture, download, removal) = (LoaderFixture(), TestGate(), TestGate())
        let held = ScriptedTransport.Reply(body: [.wait(download), .piece(LoaderFixture.image)])
        let request = fixture.request("a", then: held)
        let older = fixture.loader.task(for: request)
        await download.waitForArrivals(1)
        fixture.disk.hold(.entry, at: removal)
        async let removed: Void = fixture.loader.removeCachedImages(for: request)
        await removal.waitForArrivals(1)
        fixture.disk.hold(.entry, at: nil)
        let newer = fixture.loader.task(for: request)
        await fixture.transport.waitForSends(2)
        for gate in [download, removal] { gate.open() }
        await removed
        for task in [older, newer] { _ = try await task.image }
    }

    @Test("removeCachedImages(unusedFor:) empties a memory cache without a clock")
    func ageless() async throws {
        let memory = InMemoryImageCache()
        let fixture = LoaderFixture { $0.memoryCache = memory }
        fixture.loader.cacheImage(drawn, for: fixture.request("a"))
        try await fixture.loader.removeCachedImages(unusedFor: .seconds(60))
        #expect(memory.images.isEmpty)
    }
}
