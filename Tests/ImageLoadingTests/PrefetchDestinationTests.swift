import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@Suite("Destinations of the prefetcher")
struct PrefetchDestinationTests {
    @Test("what is in memory is skipped, without a task and without an event")
    func inMemory() async throws {
        let stage = SteppedLoader()
        let requests = stage.requests(["a", "b"])
        let loading = stage.load(requests[0])
        stage.executor.run()
        _ = try await loading.value
        let told = stage.fixture.observer.events.count
        let prefetcher = ImagePrefetcher(loader: stage.loader)
        prefetcher.start([requests[0]])
        #expect(stage.executor.readyCount == 0)
        #expect(prefetcher.count == 0)
        #expect(stage.fixture.observer.events.count == told)
        prefetcher.start(requests)
        #expect(prefetcher.count == 1)
        stage.executor.run()
        #expect(stage.sent == ["a", "b"])
    }

    @Test("what came into memory while it waited for its turn is skipped")
    func inMemoryByItsTurn() {
        let stage = SteppedLoader()
        let prefetcher = ImagePrefetcher(loader: stage.loader, limit: 1)
        prefetcher.isPaused = true
        let request = stage.fixture.request("a")
        prefetcher.start([request])
        _ = stage.load(request)
        stage.executor.run()
        prefetcher.isPaused = false
        #expect(prefetcher.count == 0)
        #expect(stage.executor.readyCount == 0)
    }

    @Test("to memory, the finished picture is kept")
    func toMemory() {
        let stage = SteppedLoader()
        let request = stage.fixture.request("a") { $0.processors = [FakeProcessor("x")] }
        ImagePrefetcher(loader: stage.loader).run([request], stage)
        #expect(Set(stage.fixture.memory.images.keys) == [request.cacheKey])
    }

    @Test("decoded, the picture without steps is kept, and requests with any steps begin with it")
    func decoded() async throws {
        let stage = SteppedLoader()
        let request = stage.fixture.request("a") { $0.processors = [FakeProcessor("x")] }
        let prefetcher = ImagePrefetcher(loader: stage.loader, destination: .decoded)
        prefetcher.start([request, stage.fixture.request("a"), stage.fixture.request("a", fit: 10)])
        #expect(prefetcher.count == 2)
        stage.executor.run()
        #expect(stage.loader.cachedImage(for: request) == nil)
        #expect(stage.loader.cachedImage(for: stage.fixture.request("a")) != nil)
        let loading = stage.load(request)
        stage.executor.run()
        #expect(try await loading.value.source == .memory)
        #expect(stage.fixture.decoder.decodeCount == 2)
    }

    @Test("to disk, the original is kept; nothing is decoded, nothing kept in memory, and sizes make no difference")
    func toDisk() {
        let stage = SteppedLoader()
        let prefetcher = ImagePrefetcher(loader: stage.loader, destination: .disk)
        prefetcher.start([stage.fixture.request("a"), stage.fixture.request("a", fit: 10)])
        #expect(prefetcher.count == 1)
        stage.executor.run()
        #expect(stage.fixture.storedOriginals.count == 1)
        #expect(stage.fixture.decoder.messages.isEmpty)
        #expect(stage.fixture.memory.images.isEmpty)
    }

    @Test("what is stored is skipped: no download, no event, and no byte of its body is pulled")
    func onDisk() {
        let stored = StoredResponses()
        let stage = SteppedLoader { $0.responseCache = stored }
        let prefetcher = ImagePrefetcher(loader: stage.loader, destination: .disk)
        prefetcher.run(stage.requests(["stored"]), stage)
        #expect(stored.messages == ["asked for stored"])
        #expect(stage.fixture.observer.events.isEmpty)
        prefetcher.run(stage.requests(["stored"]) { $0.mode = .reload }, stage)
        #expect(stored.messages == ["asked for stored"])
        #expect(stage.sent == ["stored"])
    }

    @Test("what would not be kept in the destination is not loaded")
    func keptOut() {
        let stage = SteppedLoader()
        let (reads, none) = (ImageCachePolicy(memory: .readOnly, disk: .readOnly), ImageCachePolicy.none)
        for policy in [reads, none] {
            let requests = stage.requests(["a"]) { $0.cachePolicy = policy }
            for destination in ImagePrefetcher.Destination.allCases {
                ImagePrefetcher(loader: stage.loader, destination: destination).run(requests, stage)
            }
        }
        let local = ImageRequest(.data(LoaderFixture.picture, name: "at hand"))
        let fetched = ImageRequest(.fetch(name: "fetched") { LoaderFixture.picture })
        ImagePrefetcher(loader: stage.loader, destination: .disk).run([local, fetched], stage)
        #expect(stage.fixture.observer.events.isEmpty)
        ImagePrefetcher(loader: stage.loader).run([local, fetched], stage)
        #expect(stage.fixture.memory.images.count == 2)
    }

    @Test("what a request fetches by itself is kept on disk, once, as far as the loader keeps such originals")
    func fetchesToDisk() {
        let disk = InMemoryDataCache()
        let fetches = MessageLog<String>()
        let stage = SteppedLoader { configuration in
            configuration.fetchedOriginals = FetchedOriginals(cache: disk) { Date(timeIntervalSince1970: 0) }
        }
        let request = ImageRequest(
            .fetch(name: "fetched") {
                fetches.append("fetched")
                return LoaderFixture.picture
            })
        let prefetcher = ImagePrefetcher(loader: stage.loader, destination: .disk)
        prefetcher.run([request], stage)
        #expect(fetches.messages.count == 1)
        let told = stage.fixture.observer.events.count
        prefetcher.run([request], stage)
        #expect(fetches.messages.count == 1)
        #expect(stage.fixture.observer.events.count == told)
        #expect(stage.fixture.memory.images.isEmpty)
        var renewed = request
        renewed.mode = .reload
        prefetcher.run([renewed], stage)
        #expect(fetches.messages.count == 2)
    }

    @Test("a prefetch of a progressive request makes no previews")
    func noPreviews() {
        let decoder = ScriptedPreviews()
        let stage = SteppedLoader { configuration in
            configuration.decoder = decoder
            configuration.previewThrottle = .none
        }
        let pieces: [ScriptedTransport.Step] = [
            .piece(LoaderFixture.picture[0..<20]), .piece(Data(LoaderFixture.picture[20...])),
        ]
        let request = stage.fixture.request("a", then: ScriptedTransport.Reply(body: pieces)) {
            $0.isProgressive = true
        }
        ImagePrefetcher(loader: stage.loader).run([request], stage)
        #expect(decoder.sessionCount == 0)
        #expect(stage.loader.cachedImage(for: request) != nil)
    }
}

extension ImagePrefetcher {
    /// Starts these, and goes on until nothing is left to do.
    fileprivate func run(_ requests: [ImageRequest], _ stage: SteppedLoader) {
        start(requests)
        stage.executor.run()
    }
}

/// Has a response for everything, and notes who asks and who reads.
private final class StoredResponses: ResponseCache {
    private let log = Mutex<[String]>([])

    var messages: [String] { log.withLock { $0 } }

    func storedResponse(to request: TransportRequest, acceptsStale: Bool) async throws(CacheMiss) -> TransportResponse {
        let name = request.url.lastPathComponent
        log.withLock { $0.append("asked for \(name)") }
        let body = TransportBody(pull: { [self] () async throws(TransportFailure) in
            log.withLock { $0.append("read \(name)") }
            return nil
        })
        return TransportResponse(head: ResponseHead(status: .ok, url: request.url), body: body, source: .cache)
    }

    func removeStoredResponses(to request: TransportRequest) async {}
}
