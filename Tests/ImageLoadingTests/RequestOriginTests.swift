import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@testable import ImageLoading

@Suite("Originals without a URL")
struct RequestOriginTests {
    private let fixture = LoaderFixture()
    private let image = LoaderFixture.image
    private let target = ImageTarget(PixelSize(width: 20, height: 20))

    @Test("data in memory is decoded without network, disk or a download slot, and the image is stored in memory")
    func data() async throws {
        let request = ImageRequest(.data(hashing: image), target: target)
        #expect(try await fixture.loader.image(for: request).source == .local)
        #expect(try await fixture.loader.image(for: request).source == .memory)
        #expect(fixture.transport.messages.isEmpty)
        #expect(fixture.disk.messages.isEmpty)
        #expect(!fixture.observer.kinds().contains(.downloadStarted))
    }

    @Test("a data: URL is local, also offline, and its transport is found in any case")
    func dataURLs() async throws {
        let fixture = LoaderFixture { $0.transport = $0.transport.adding(DataURLTransport(), forScheme: "DATA") }
        for scheme in ["data", "Data"] {
            let url = try #require(URL(string: "\(scheme):;base64,\(image.base64EncodedString())"))
            let loaded = try await fixture.loader.data(for: ImageRequest(url: url, mode: .onlyIfCached))
            #expect(loaded.data == image && loaded.source == .local && loaded.responses.isEmpty)
        }
    }

    @Test("a custom fetch is called once for all requests with its name")
    func fetch() async throws {
        let gate = TestGate()
        let calls = Mutex(0)
        let request = ImageRequest(
            .fetch(name: "asset 1") { [image] in
                calls.withLock { $0 += 1 }
                await gate.pass()
                return image
            }, target: target)
        async let first = fixture.loader.image(for: request)
        await gate.waitForArrivals(1)
        let second = fixture.loader.task(for: request)
        await fixture.reaches(callers: 3)
        gate.open()
        _ = try await (first, second.image)
        #expect(calls.withLock { $0 } == 1)
        #expect(try await fixture.loader.image(for: request).source == .memory)
    }

    @Test("an error of a custom fetch is reported, and a transient ImageError is retried")
    func fetchFails() async throws {
        struct Trouble: Error {}
        let broken = ImageRequest(.fetch(name: "b") { throw Trouble() })
        await #expect(throws: ImageError.fetch(UnderlyingError(Trouble()))) {
            try await fixture.loader.data(for: broken)
        }
        let ended = ImageRequest(.fetch(name: "d") { throw CancellationError() })
        await #expect(throws: ImageError.fetch(UnderlyingError(CancellationError()))) {
            try await fixture.loader.data(for: ended)
        }
        let patient = LoaderFixture(retries: 1)
        let calls = Mutex(0)
        let shaky = ImageRequest(
            .fetch(name: "c") { [image] in
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                if call == 1 { throw ImageError.network(.connectionLost, "") }
                return image
            })
        let task = Task { try await patient.loader.data(for: shaky) }
        await patient.clock.waitForSleepers(1)
        patient.clock.advance(by: .seconds(1))
        #expect(try await task.value.data == image)
    }

    @Test("a custom fetch is cancelled with its request, and isn't called offline")
    func fetchCancelled() async throws {
        let (entered, cancelled) = (TestGate(), TestGate())
        let request = ImageRequest(
            .fetch(name: "d") {
                entered.open()
                await withTaskCancellationHandler {
                    await cancelled.whenOpen()
                } onCancel: {
                    cancelled.open()
                }
                throw CancellationError()
            })
        let task = Task { try await fixture.loader.data(for: request) }
        await entered.whenOpen()
        task.cancel()
        await cancelled.whenOpen()
        await #expect(throws: ImageError.self) { try await task.value }
        let offline = ImageRequest(
            .fetch(name: "e") { throw CancellationError() }, mode: .onlyIfCached)
        await #expect(throws: ImageError.offline) { try await fixture.loader.data(for: offline) }
    }
}

@Suite("Cache access")
struct CacheAccessTests {
    private let fixture = LoaderFixture()

    /// Each access, and whether it reads and writes a cache.
    private static let accesses: [(CacheAccess, reads: Bool, writes: Bool)] = [
        (.readWrite, true, true), (.readOnly, true, false), (.disabled, false, false),
    ]

    @Test("read-only access stores nothing in memory, and none reads nothing", arguments: accesses)
    func memory(_ access: CacheAccess, reads: Bool, writes: Bool) async throws {
        var request = fixture.request("a") { $0.cachePolicy = ImageCachePolicy(memory: access, disk: .disabled) }
        _ = try await fixture.loader.image(for: request)
        #expect(fixture.memory.images.count == (writes ? 1 : 0))
        request.cachePolicy.memory = .readWrite
        _ = try await fixture.loader.image(for: request)
        request.cachePolicy.memory = access
        let source = try await fixture.loader.image(for: request).source
        #expect(source == (reads ? .memory : .network))
        #expect((fixture.loader.cachedImage(for: request) != nil) == reads)
    }

    @Test("read-only access stores nothing on disk, and none reads nothing", arguments: accesses)
    func disk(_ access: CacheAccess, reads: Bool, writes: Bool) async throws {
        var request = fixture.request("a") { $0.cachePolicy = ImageCachePolicy(memory: .disabled, disk: access) }
        _ = try await fixture.loader.image(for: request)
        #expect(fixture.storedOriginals.count == (writes ? 1 : 0))
        request.cachePolicy.disk = .readWrite
        _ = try await fixture.loader.image(for: request)
        request.cachePolicy.disk = access
        #expect(try await fixture.loader.image(for: request).source == (reads ? .disk : .network))
    }

    @Test("a revalidation validates fresh responses with the origin and bypasses memory")
    func revalidate() async throws {
        let whole = ScriptedTransport.Reply.ok(
            LoaderFixture.image, headers: [.eTag: "\"1\"", .cacheControl: "max-age=1000"])
        var request = fixture.request("a", first: whole, then: .status(.notModified))
        _ = try await fixture.loader.image(for: request)
        request.mode = .revalidate
        #expect(fixture.loader.cachedImage(for: request) == nil)
        #expect(try await fixture.loader.image(for: request).source == .validated)
        #expect(fixture.transport.requests.last?.headers[.ifNoneMatch] == "\"1\"")
    }
}
