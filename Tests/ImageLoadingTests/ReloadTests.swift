import Foundation
import ImageCoalescing
import ImageCore
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Reloads during older work")
struct ReloadTests {
    private let fixture = LoaderFixture()
    private let gate = TestGate()

    /// Returns a request whose first response blocks at the gate and is outdated. All later ones are new.
    private func request(_ policy: ImageCachePolicy, of stepped: LoaderFixture? = nil) -> ImageRequest {
        let old = ScriptedTransport.Reply(body: [.wait(gate), .piece(LoaderFixture.image)])
        let new = ScriptedTransport.Reply.ok(FakeImage.encode(width: 20, height: 20))
        return (stepped ?? fixture).request("a", fit: nil, first: old, then: new) { $0.cachePolicy = policy }
    }

    private func reloading(_ request: ImageRequest, _ mode: ImageLoadMode = .reload) -> ImageRequest {
        var request = request
        request.mode = mode
        return request
    }

    @Test(
        "an older load that ends after a reload does not replace it in memory or on disk",
        arguments: [ImageLoadMode.reload, .revalidate])
    func olderEndsLater(_ mode: ImageLoadMode) async throws {
        let fixture = LoaderFixture.stepped()
        let request = request(.all, of: fixture)
        let older = width(of: request, from: fixture)
        #expect(try await width(of: reloading(request, mode), from: fixture).value == 20)
        gate.open()
        fixture.run()
        #expect(try await older.value == 40)
        #expect(fixture.loader.generations.withLock { $0.isEmpty })
        #expect(fixture.memory.images.values.map(\.bitmap.size.width) == [20])
        #expect(fixture.storedOriginals == [FakeImage.encode(width: 20, height: 20)])
    }

    @Test("a request after a reload does not join older work")
    func olderIsNotJoined() async throws {
        let fixture = LoaderFixture.stepped()
        let request = request(.disabled, of: fixture)
        let older = width(of: request, from: fixture)
        #expect(try await width(of: reloading(request), from: fixture).value == 20)
        let later = width(of: request, from: fixture)
        gate.open()
        fixture.run()
        #expect(try await later.value == 20)
        #expect(try await older.value == 40)
    }

    /// Requests an image and runs until no task is ready.
    private func width(of request: ImageRequest, from fixture: LoaderFixture) -> Task<Int, any Error> {
        let task = fixture.start { try await fixture.loader.image(for: request).decoded.bitmap.size.width }
        fixture.run()
        return task
    }

    @Test("bytes stored while a reload ends are removed from disk")
    func olderIsBeingStored() async throws {
        gate.open()
        let request = request(.all)
        let store = TestGate()
        fixture.disk.hold(.store, at: store)
        let older = Task { try await fixture.loader.data(for: request).data }
        await store.waitForArrivals(1)
        fixture.disk.hold(.store, at: nil)
        let new = try await fixture.loader.data(for: reloading(request)).data
        store.open()
        #expect(try await older.value == LoaderFixture.image)
        #expect(try await fixture.loader.data(for: request).data == new)
    }

    @Test(
        "an image stored while a later reload ends is removed from memory",
        arguments: [ImageLoadMode.standard, .reload])
    func olderIsBeingInserted(_ mode: ImageLoadMode) async throws {
        let cache = InterposedImageCache()
        let fixture = LoaderFixture { $0.memoryCache = cache }
        let request = fixture.request("a")
        cache.beforeInsert.withLock {
            $0 = { _ in fixture.loader.generations.withLock { $0.startGeneration(of: request.original) } }
        }
        _ = try await fixture.loader.image(for: reloading(request, mode))
        #expect(fixture.loader.cachedImage(for: request) == nil)
    }

    @Test("an outdated reload removes the image that was stored before it")
    func outdatedReload() async throws {
        let size = PixelSize(width: 10, height: 10)
        let fixture = LoaderFixture { [gate] in
            $0.decoder = BlockingDecoder(base: $0.decoder, gate: gate, size: size)
        }
        let request = fixture.request("a") { $0.target = ImageTarget(size) }
        let old = try fixture.decoder.decode(LoaderFixture.image)
        fixture.memory.insert(old, for: request.cacheKey)
        let reload = Task { [reloading] in try await fixture.loader.image(for: reloading(request, .reload)) }
        await gate.waitForArrivals(1)
        fixture.loader.generations.withLock { $0.startGeneration(of: request.original) }
        gate.open()
        _ = try await reload.value
        #expect(fixture.loader.cachedImage(for: request) == nil)
    }

    @Test(
        "an image fetched again because its file was undecodable is stored in memory, also with processors",
        arguments: [true, false])
    func undecodable(isProcessed: Bool) async throws {
        let request = fixture.request("a", first: .ok(Data("no image".utf8))) {
            $0.processors = isProcessed ? [FakeProcessor("step")] : []
        }
        _ = try await fixture.loader.data(for: request)
        #expect(try await fixture.loader.image(for: request).source == .network)
        #expect(fixture.loader.cachedImage(for: request) != nil)
        #expect(fixture.storedOriginals == [LoaderFixture.image])
    }

    @Test("an undecodable file is not fetched again if another size has replaced it meanwhile")
    func undecodableAtTwoSizes() async throws {
        let fixture = LoaderFixture { [gate] in
            $0.decoder = BlockingDecoder(base: $0.decoder, gate: gate, size: PixelSize(width: 10, height: 10))
        }
        let good = ScriptedTransport.Reply.ok(LoaderFixture.image)
        let large = fixture.request("a", first: .ok(Data("no image".utf8)), then: good)
        _ = try await fixture.loader.data(for: large)
        var small = large
        small.target = ImageTarget(PixelSize(width: 10, height: 10))
        let older = Task { [small] in try await fixture.loader.image(for: small).source }
        await gate.waitForArrivals(1)
        #expect(try await fixture.loader.image(for: large).source == .network)
        gate.open()
        #expect(try await older.value == .disk)
        #expect(fixture.transport.sendCount == 2)
    }
}

/// Blocks at a gate before it decodes to one size.
private struct BlockingDecoder: SizedImageDecoder {
    let base: any SizedImageDecoder
    let gate: TestGate
    let size: PixelSize

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { try base.header(of: data) }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        if request.target?.size == size { gate.passBlocking() }
        return try base.decode(data, request: request, isCancelled: isCancelled)
    }
}

/// Calls a closure before it stores an image.
private final class InterposedImageCache: ImageCache {
    private let base = InMemoryImageCache()
    let beforeInsert = Mutex<@Sendable (ImageCacheKey) -> Void> { _ in }

    func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention) {
        beforeInsert.withLock { $0 }(key)
        base.insert(image, for: key, retention: retention)
    }

    func image(for key: ImageCacheKey) -> DecodedImage? { base.image(for: key) }
    func remove(for key: ImageCacheKey) { base.remove(for: key) }
    func removeAll() { base.removeAll() }
    func removeAll(where isUnwanted: (ImageCacheKey, Duration?) -> Bool) { base.removeAll(where: isUnwanted) }
}
