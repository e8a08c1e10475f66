import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageMemoryCaching
import ImageTransporting
import Synchronization
import Testing

@testable import ImageTesting

@Suite("Destinations of the prefetcher")
struct PrefetchDestinationTests {
    @Test("an image in memory is skipped without a task or an event")
    func inMemory() async throws {
        let fixture = LoaderFixture.stepped()
        let requests = fixture.requests(["a", "b"])
        let loading = fixture.start { try await fixture.loader.image(for: requests[0]) }
        fixture.run()
        _ = try await loading.value
        let eventCount = fixture.observer.events.count
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        prefetcher.start([requests[0]])
        #expect(fixture.executor?.readyCount == 0)
        #expect(prefetcher.count == 0)
        #expect(fixture.observer.events.count == eventCount)
        prefetcher.start(requests)
        #expect(prefetcher.count == 1)
        fixture.run()
        #expect(fixture.sent == ["a", "b"])
    }

    @Test("prefetching to memory stores the processed image")
    func toMemory() {
        let fixture = LoaderFixture.stepped()
        let request = fixture.request("a") { $0.processors = [FakeProcessor("x")] }
        ImagePrefetcher(loader: fixture.loader).run([request], fixture)
        #expect(Set(fixture.memory.images.keys) == [request.cacheKey])
    }

    @Test("a loader's prefetching returns when the images are stored", arguments: ImagePrefetcher.Destination.allCases)
    func awaited(destination: ImagePrefetcher.Destination) async {
        let fixture = LoaderFixture()
        let requests = fixture.requests((0..<40).map { "\($0)" })
        await fixture.loader.prefetch(requests, to: destination)
        #expect(fixture.memory.images.count == (destination == .memory ? 40 : 0))
        #expect(fixture.storedOriginals.count == 40)
    }

    @Test("a loader's prefetching stops and returns when its task is cancelled")
    func cancelled() async {
        let (fixture, gate) = (LoaderFixture(), TestGate())
        let request = fixture.request("a", then: ScriptedTransport.Reply(body: [.wait(gate)]))
        let task = Task { await fixture.loader.prefetch([request]) }
        await gate.waitForArrivals(1)
        task.cancel()
        await task.value
        await fixture.transport.waitForCancellations(1)
        gate.open()
    }

    @Test("URLs are prefetched at the size that views ask for")
    func urls() throws {
        let fixture = LoaderFixture.stepped()
        let request = fixture.request("a")
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        prefetcher.start([request.address], target: request.target)
        fixture.run()
        #expect(fixture.loader.cachedImage(for: request.address, target: request.target) != nil)
        #expect(fixture.loader.cachedImage(for: request.address) == nil)
    }

    @Test("prefetching to disk stores the original once for all sizes, without decoding or memory")
    func toDisk() {
        let fixture = LoaderFixture.stepped()
        let prefetcher = ImagePrefetcher(loader: fixture.loader, destination: .disk)
        prefetcher.start([fixture.request("a"), fixture.request("a", fit: 10)])
        #expect(prefetcher.count == 1)
        fixture.run()
        #expect(fixture.storedOriginals.count == 1)
        #expect(fixture.decoder.messages.isEmpty)
        #expect(fixture.memory.images.isEmpty)
    }

    @Test("a stored image is skipped without a download, an event or reading its body")
    func onDisk() {
        let stored = MessageLog<String>()
        let fixture = LoaderFixture.stepped {
            $0.transport = .cached(StoredResponses(log: stored, network: $0.transport))
        }
        let prefetcher = ImagePrefetcher(loader: fixture.loader, destination: .disk)
        prefetcher.run(fixture.requests(["stored"]), fixture)
        #expect(stored.messages == ["looked up stored"])
        #expect(fixture.observer.events.isEmpty)
        prefetcher.run(fixture.requests(["stored"]) { $0.mode = .reload }, fixture)
        #expect(stored.messages == ["looked up stored"])
        #expect(fixture.sent == ["stored"])
    }

    @Test("a request that can't be stored in the destination is not loaded")
    func notStorable() {
        let fixture = LoaderFixture.stepped()
        let (reads, none) = (ImageCachePolicy(memory: .readOnly, disk: .readOnly), ImageCachePolicy.disabled)
        for policy in [reads, none] {
            let requests = fixture.requests(["a"]) { $0.cachePolicy = policy }
            for destination in ImagePrefetcher.Destination.allCases {
                ImagePrefetcher(loader: fixture.loader, destination: destination).run(requests, fixture)
            }
        }
        let local = ImageRequest(.data(LoaderFixture.image, name: "local"))
        ImagePrefetcher(loader: fixture.loader, destination: .disk).run([local], fixture)
        #expect(fixture.observer.events.isEmpty)
        ImagePrefetcher(loader: fixture.loader).run([local], fixture)
        #expect(fixture.memory.images.count == 1)
    }

    @Test("without a cache for the destination, or with one of 0 bytes, nothing is loaded")
    func noCache() {
        let changes: [(ImagePrefetcher.Destination, (inout ImageLoaderParts) -> Void)] = [
            (.memory, { $0.memoryCache = nil }), (.memory, { $0.memoryCache = InMemoryImageCache(byteLimit: 0) }),
            (.memory, { $0.memoryCache = MemoryImageCache(byteLimit: 0) }),
            (.memory, { $0.memoryCache = MemoryImageCache(byteLimit: -1) }),
            (.memory, { $0.memoryCache = MemoryImageCache(entryByteLimit: 0) }),
            (.disk, { $0.transport = .uncached($0.transport) }),
        ]
        for (destination, change) in changes {
            let fixture = LoaderFixture.stepped(adjust: change)
            let prefetcher = ImagePrefetcher(loader: fixture.loader, destination: destination)
            prefetcher.start(fixture.requests(["a"]) + [ImageRequest(.fetch(name: "b") { LoaderFixture.image })])
            #expect(prefetcher.count == 0)
            fixture.run()
            #expect(fixture.observer.events.isEmpty)
            #expect(fixture.sent.isEmpty)
        }
    }

    @Test("a loader of another kind is asked for images and originals")
    func otherLoader() async {
        let loader = FakeImageLoader()
        let (image, cached) = (ImageRequest(.fetch(name: "a") { Data() }), ImageRequest(.fetch(name: "b") { Data() }))
        for request in [image, cached] { loader.script(.image(PixelSize(width: 1, height: 1)), for: request) }
        _ = try? await loader.image(for: cached)
        let prefetcher = ImagePrefetcher(loader: loader)
        prefetcher.start([image, cached])
        await prefetcher.waitUntilFinished()
        #expect(loader.cachedImage(for: image) != nil)
        #expect(loader.messages.filter { $0 == .image("fetch b") }.count == 1)
        loader.script(.data(Data([1])), for: image)
        let toDisk = ImagePrefetcher(loader: loader, destination: .disk)
        toDisk.start([image])
        await toDisk.waitUntilFinished()
        #expect(loader.messages.last == .data("fetch a"))
    }

    @Test("a custom fetch is stored on disk once, if the loader stores such originals")
    func fetchesToDisk() {
        let fetches = MessageLog<String>()
        let fixture = LoaderFixture.stepped()
        let request = ImageRequest(
            .fetch(name: "fetched") {
                fetches.append("fetched")
                return LoaderFixture.image
            })
        let prefetcher = ImagePrefetcher(loader: fixture.loader, destination: .disk)
        prefetcher.run([request], fixture)
        #expect(fetches.messages.count == 1)
        let eventCount = fixture.observer.events.count
        prefetcher.run([request], fixture)
        #expect(fetches.messages.count == 1)
        #expect(fixture.observer.events.count == eventCount)
        #expect(fixture.memory.images.isEmpty)
        var renewed = request
        renewed.mode = .reload
        prefetcher.run([renewed], fixture)
        #expect(fetches.messages.count == 2)
    }

    @Test("prefetching a progressive request makes no previews")
    func noPreviews() {
        let decoder = ScriptedPreviews()
        let fixture = LoaderFixture.stepped { configuration in
            configuration.decoder = decoder
            configuration.previewThrottle = .unlimited
        }
        let pieces: [ScriptedTransport.Step] = [
            .piece(LoaderFixture.image[0..<20]), .piece(Data(LoaderFixture.image[20...])),
        ]
        let request = fixture.request("a", then: ScriptedTransport.Reply(body: pieces)) {
            $0.isProgressive = true
        }
        ImagePrefetcher(loader: fixture.loader).run([request], fixture)
        #expect(decoder.sessionCount == 0)
        #expect(fixture.loader.cachedImage(for: request) != nil)
    }
}

extension ImagePrefetcher {
    /// Starts the requests and runs until all work is done.
    fileprivate func run(_ requests: [ImageRequest], _ fixture: LoaderFixture) {
        start(requests)
        fixture.run()
    }
}

/// Has a response for each request that reads the cache, and records lookups and reads.
private struct StoredResponses: ResponseCache {
    let log: MessageLog<String>
    let network: any DataTransport

    func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        guard !request.cacheUse.isNone, !request.cacheUse.asksServer else {
            return .exchange(after: .policy) { () async throws(TransportError) in try await network.send(request) }
        }
        let name = request.url.lastPathComponent
        log.append("looked up \(name)")
        let body = TransportBody(pull: { () async throws(TransportError) in
            log.append("read \(name)")
            return nil
        })
        return .stored(
            TransportResponse(head: ResponseHead(status: .ok, url: request.url), body: body, source: .cache))
    }

    func removeStoredResponses(to request: TransportRequest) async {}
}
