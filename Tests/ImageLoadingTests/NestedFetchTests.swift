import Foundation
import ImageCore
import ImageScheduling
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Fetches that use their loader", .timeLimit(.minutes(10)))
struct NestedFetchTests {
    private let fixture = LoaderFixture(
        scheduler: PriorityScheduler(lanes: [
            .download: LaneOptions(limit: 1), .decode: LaneOptions(limit: 1),
        ]))

    /// Returns a request for an image that a closure fetches.
    private func request(
        _ name: String, identifier: String? = nil, _ fetch: @escaping @Sendable (ImageLoader) async throws -> Data
    ) -> ImageRequest {
        var request = ImageRequest(
            .fetch(name: name) { [loader = fixture.loader] in try await fetch(loader) }, cachePolicy: .diskOnly)
        request.identifier = identifier
        return request
    }

    /// Returns a request that fetches the original of another one.
    private func request(_ name: String, fetching other: ImageRequest) -> ImageRequest {
        request(name) { try await $0.data(for: other).data }
    }

    private func expectCircular(_ request: ImageRequest) async {
        await #expect(throws: ImageError.circularFetch) { try await fixture.loader.image(for: request) }
    }

    @Test("a fetch loads through its loader to any depth, with one download slot", arguments: [1, 2, 40])
    func depth(_ depth: Int) async throws {
        var request = fixture.request("photo")
        for level in 0..<depth { request = self.request("level \(level)", fetching: request) }
        #expect(try await fixture.loader.image(for: request).decoded.bitmap.size.width == 40)
        #expect(fixture.loader.fetchDependencies.withLock { $0.isEmpty })
    }

    @Test("as many fetches as there are never hold up their own downloads")
    func many() async throws {
        let requests = (0..<50).map { number in
            request("id \(number)", fetching: fixture.request("photo \(number)"))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for request in requests { group.addTask { _ = try await fixture.loader.image(for: request) } }
            try await group.waitForAll()
        }
        #expect(fixture.transport.sendCount == 50)
    }

    @Test("a fetch decodes images of its loader, with one slot for decoding")
    func nestedImages() async throws {
        let (first, second) = (fixture.request("a"), fixture.request("b", fit: 10))
        let request = request("collage") { loader in
            async let images = (loader.image(for: first), loader.image(for: second))
            let sizes = try await (images.0.decoded.bitmap.size.width, images.1.decoded.bitmap.size.width)
            return FakeImage.encode(width: sizes.0 + sizes.1, height: 1)
        }
        #expect(try await fixture.loader.image(for: request).decoded.bitmap.size.width == 30)
    }

    @Test("a fetch waits for an original until the last of its requests has ended")
    func repeatedDependency() {
        let (fetch, other) = (fixture.request("a").original, fixture.request("b").original)
        var dependencies = FetchDependencies()
        for _ in 0..<2 {
            let isAdded = dependencies.add(other, by: fetch)
            #expect(isAdded)
        }
        dependencies.remove(other, by: fetch)
        let isCircular = !dependencies.add(fetch, by: other)
        #expect(isCircular)
        dependencies.remove(other, by: fetch)
        #expect(dependencies.isEmpty)
    }

    @Test("a fetch that requests its own image fails with `circularFetch`")
    func itself() async {
        let fetch = request("a") { loader in
            try await loader.data(for: ImageRequest(.fetch(name: "a") { Data() }, cachePolicy: .diskOnly)).data
        }
        await expectCircular(fetch)
        #expect(fixture.loader.fetchDependencies.withLock { $0.isEmpty })
    }

    @Test("a fetch that requests another size or other processors of its own image fails with `circularFetch`")
    func otherSize() async {
        await expectCircular(
            request("a") { loader in
                var request = ImageRequest(.fetch(name: "a") { Data() })
                request.target = ImageTarget(PixelSize(width: 1, height: 1))
                return FakeImage.encode(
                    width: try await loader.image(for: request).decoded.bitmap.size.width, height: 1)
            })
    }

    @Test("a URL with the identifier of the fetch counts as its own image")
    func identifier() async {
        var url = fixture.request("photo")
        url.identifier = "photo 1"
        let other = url
        await expectCircular(request("a", identifier: "photo 1") { try await $0.data(for: other).data })
    }

    @Test("of fetches that wait for each other, one fails with `circularFetch`, whoever started them")
    func circle() async {
        let gates = (0..<3).map { _ in TestGate() }
        let requests = Mutex<[ImageRequest]>([])
        let fetches = (0..<3).map { number in
            request("fetch \(number)") { loader in
                await gates[number].pass()
                let next = requests.withLock { $0[(number + 1) % 3] }
                return try await loader.data(for: next).data
            }
        }
        requests.withLock { $0 = fetches }
        let tasks = fetches.map { fetch in Task { try await fixture.loader.data(for: fetch) } }
        for gate in gates { await gate.waitForArrivals(1) }
        for gate in gates { gate.open() }
        for task in tasks { await #expect(throws: ImageError.circularFetch) { try await task.value } }
        #expect(fixture.loader.fetchDependencies.withLock { $0.isEmpty })
    }

    @Test("a fetch can handle the error and return other bytes")
    func handled() async throws {
        let request = request("a") { loader in
            let own = ImageRequest(.fetch(name: "a") { Data() }, cachePolicy: .diskOnly)
            return (try? await loader.data(for: own).data) ?? LoaderFixture.image
        }
        #expect(try await fixture.loader.data(for: request).data == LoaderFixture.image)
    }

    @Test("a fetch can request two originals whose fetches request the same one")
    func diamond() async throws {
        let gate = TestGate()
        let bottom = request("bottom") { _ in
            await gate.pass()
            return LoaderFixture.image
        }
        let sides = (0..<2).map { request("side \($0)", fetching: bottom) }
        let top = request("top") { loader in
            async let both = (loader.data(for: sides[0]), loader.data(for: sides[1]))
            return try await both.0.data
        }
        async let loaded = fixture.loader.data(for: top)
        await gate.waitForArrivals(1)
        gate.open()
        #expect(try await loaded.data == LoaderFixture.image)
    }

    @Test("a task that outlives the fetch can request its image")
    func afterwards() async throws {
        let gate = TestGate()
        let later = Mutex<Task<Data, any Error>?>(nil)
        let own = ImageRequest(.fetch(name: "a") { LoaderFixture.image }, cachePolicy: .diskOnly)
        let request = request("a") { loader in
            later.withLock {
                $0 = Task {
                    await gate.pass()
                    return try await loader.data(for: own).data
                }
            }
            return LoaderFixture.image
        }
        _ = try await fixture.loader.data(for: request)
        gate.open()
        #expect(try await later.withLock { $0 }?.value == LoaderFixture.image)
    }

    @Test("a fetch that only looks into the caches for its own image is no circle")
    func cacheOnly() async throws {
        let request = request("a") { loader in
            var own = ImageRequest(.fetch(name: "a") { Data() }, cachePolicy: .diskOnly)
            own.mode = .onlyIfCached
            let stored = await Task { [own] in try await loader.data(for: own) }.result
            guard case .failure(ImageError.offline) = stored else { throw ImageError.notFound }
            return LoaderFixture.image
        }
        #expect(try await fixture.loader.data(for: request).data == LoaderFixture.image)
    }

    @Test("loaders with equal names don't count as a circle")
    func otherLoader() async throws {
        let other = LoaderFixture()
        let request = request("a") { _ in
            try await other.loader.data(for: ImageRequest(.fetch(name: "a") { LoaderFixture.image })).data
        }
        #expect(try await fixture.loader.data(for: request).data == LoaderFixture.image)
    }
}
