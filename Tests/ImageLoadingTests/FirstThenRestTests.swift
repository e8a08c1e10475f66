import HTTPTypes
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Testing

@Suite("Loading an image, then prefetching the rest")
struct FirstThenRestTests {
    private let fixture = SteppedLoader()

    private func begin(_ requests: [ImageRequest], _ prefetcher: ImagePrefetcher) -> Task<LoadedImage?, any Error> {
        Task(executorPreference: fixture.executor) { try await prefetcher.loadFirst(of: requests) }
    }

    private func error(of loading: Task<LoadedImage?, any Error>) async -> ImageError? {
        await #expect(throws: ImageError.self) { try await loading.value }
    }

    /// A request whose body waits at the gate.
    private func held(_ name: String, at gate: Gate) -> ImageRequest {
        fixture.fixture.request(name, then: ScriptedTransport.Reply(body: [.wait(gate), .piece(LoaderFixture.image)]))
    }

    @Test("returns the first image, then prefetches the rest without waiting")
    func order() async throws {
        let (first, rest) = (Gate(), Gate())
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let loading = begin([held("first", at: first), held("a", at: rest), held("b", at: rest)], prefetcher)
        fixture.executor.run()
        #expect(fixture.sent == ["first"])
        #expect(prefetcher.count == 0)
        first.open()
        fixture.executor.run()
        #expect(try await loading.value?.source == .network)
        #expect(Set(fixture.sent) == ["first", "a", "b"])
        #expect(prefetcher.count == 2)
        prefetcher.stop()
        fixture.executor.run()
        #expect(fixture.fixture.transport.cancellationCount == 2)
        rest.open()
    }

    @Test(
        "the first loads at its own priority even while prefetching is paused; the rest follows the prefetcher"
    )
    func firstIsOrdinaryRequest() async throws {
        let prefetcher = ImagePrefetcher(loader: fixture.loader, destination: .disk, limit: 1)
        prefetcher.isPaused = true
        let requests = fixture.requests(["first", "a"])
        let loading = begin(requests, prefetcher)
        fixture.executor.run()
        _ = try await loading.value
        #expect(fixture.loader.cachedImage(for: requests[0]) != nil)
        #expect(prefetcher.count == 1)
        prefetcher.isPaused = false
        fixture.executor.run()
        #expect(fixture.sent == ["first", "a"])
        #expect(fixture.loader.cachedImage(for: requests[1]) == nil)
    }

    @Test("if the first fails, its error is thrown and the rest is prefetched")
    func failing() async {
        let failing = fixture.fixture.request("first", then: .status(.notFound))
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let loading = begin([failing] + fixture.requests(["a"]), prefetcher)
        fixture.executor.run()
        #expect(prefetcher.count == 0)
        #expect(await error(of: loading)?.description == ImageError.notFound.description)
        #expect(fixture.sent == ["first", "a"])
    }

    @Test("if cancelled before the first has loaded, the rest is not started")
    func cancelled() async {
        let gate = Gate()
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let loading = begin([held("first", at: gate)] + fixture.requests(["a"]), prefetcher)
        fixture.executor.run()
        #expect(prefetcher.count == 0)
        loading.cancel()
        fixture.executor.run()
        #expect(await error(of: loading)?.description == ImageError.cancelled.description)
        #expect(fixture.sent == ["first"])
        #expect(fixture.fixture.transport.cancellationCount == 1)
        gate.open()
    }

    @Test("an empty list loads nothing")
    func emptyList() async throws {
        let loading = begin([], ImagePrefetcher(loader: fixture.loader))
        fixture.executor.run()
        #expect(try await loading.value == nil)
    }
}
