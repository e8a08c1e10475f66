import HTTPTypes
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Testing

@Suite("The first, then the rest")
struct FirstThenRestTests {
    private let stage = SteppedLoader()

    private func begin(_ requests: [ImageRequest], _ prefetcher: ImagePrefetcher) -> Task<LoadedImage?, any Error> {
        Task(executorPreference: stage.executor) { try await prefetcher.loadFirst(of: requests) }
    }

    private func error(of loading: Task<LoadedImage?, any Error>) async -> ImageError? {
        await #expect(throws: ImageError.self) { try await loading.value }
    }

    /// A request whose body waits at the gate.
    private func held(_ name: String, at gate: Gate) -> ImageRequest {
        stage.fixture.request(name, then: ScriptedTransport.Reply(body: [.wait(gate), .piece(LoaderFixture.picture)]))
    }

    @Test("returns with the first, and only then goes on with the rest, which is not waited for")
    func order() async throws {
        let (first, rest) = (Gate(), Gate())
        let prefetcher = ImagePrefetcher(loader: stage.loader)
        let loading = begin([held("first", at: first), held("a", at: rest), held("b", at: rest)], prefetcher)
        stage.executor.run()
        #expect(stage.sent == ["first"])
        #expect(prefetcher.count == 0)
        first.open()
        stage.executor.run()
        #expect(try await loading.value?.source == .network)
        #expect(Set(stage.sent) == ["first", "a", "b"])
        #expect(prefetcher.count == 2)
        prefetcher.stop()
        stage.executor.run()
        #expect(stage.fixture.transport.cancellationCount == 2)
        rest.open()
    }

    @Test(
        "the first comes though prefetching pauses, at its own priority and to memory; the rest as the prefetcher has it"
    )
    func asAnyRequest() async throws {
        let prefetcher = ImagePrefetcher(loader: stage.loader, destination: .disk, limit: 1)
        prefetcher.isPaused = true
        let requests = stage.requests(["first", "a"])
        let loading = begin(requests, prefetcher)
        stage.executor.run()
        _ = try await loading.value
        #expect(stage.loader.cachedImage(for: requests[0]) != nil)
        #expect(prefetcher.count == 1)
        prefetcher.isPaused = false
        stage.executor.run()
        #expect(stage.sent == ["first", "a"])
        #expect(stage.loader.cachedImage(for: requests[1]) == nil)
    }

    @Test("when the first fails, that is thrown, and the rest goes on")
    func failing() async {
        let failing = stage.fixture.request("first", then: .status(.notFound))
        let prefetcher = ImagePrefetcher(loader: stage.loader)
        let loading = begin([failing] + stage.requests(["a"]), prefetcher)
        stage.executor.run()
        #expect(prefetcher.count == 0)
        #expect(await error(of: loading)?.description == ImageError.notFound.description)
        #expect(stage.sent == ["first", "a"])
    }

    @Test("cancelled before the first is there, the rest is not started")
    func cancelled() async {
        let gate = Gate()
        let prefetcher = ImagePrefetcher(loader: stage.loader)
        let loading = begin([held("first", at: gate)] + stage.requests(["a"]), prefetcher)
        stage.executor.run()
        #expect(prefetcher.count == 0)
        loading.cancel()
        stage.executor.run()
        #expect(await error(of: loading)?.description == ImageError.cancelled.description)
        #expect(stage.sent == ["first"])
        #expect(stage.fixture.transport.cancellationCount == 1)
        gate.open()
    }

    @Test("of nothing, nothing comes")
    func nothing() async throws {
        let loading = begin([], ImagePrefetcher(loader: stage.loader))
        stage.executor.run()
        #expect(try await loading.value == nil)
    }
}
