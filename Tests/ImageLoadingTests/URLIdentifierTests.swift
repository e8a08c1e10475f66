import Foundation
import ImageCore
import ImageTesting
import Synchronization
import Testing

@testable import ImageLoading

@Suite("URLs that identify the same image", .timeLimit(.minutes(10)))
struct URLIdentifierTests {
    private let gate = TestGate()
    /// A loader that ignores queries.
    private let fixture = LoaderFixture { configuration in
        configuration.urlIdentifier = { url in String(url.absoluteString.prefix { $0 != "?" }) }
    }

    /// Returns a request for an image whose URL has this query.
    private func request(_ query: String, gate: TestGate? = nil) -> ImageRequest {
        let body = (gate.map { [.wait($0)] } ?? []) + [ScriptedTransport.Step.piece(LoaderFixture.image)]
        return fixture.request("a?\(query)", then: ScriptedTransport.Reply(body: body))
    }

    @Test("memory and disk return the image of the other URL, in each mode of access")
    func caches() async throws {
        let (first, second) = (request("sig=1"), request("sig=2"))
        _ = try await fixture.loader.image(for: first)
        #expect(fixture.loader.cachedImage(for: second) != nil)
        #expect(try await fixture.loader.image(for: second).source == .memory)
        #expect(try await fixture.loader.task(for: second).image.source == .memory)
        #expect(try await fixture.loader.data(for: second).source == .disk)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("the disk has the original of the other URL also for requests with headers, and for texts with spaces")
    func headers() async throws {
        let fixture = LoaderFixture { $0.urlIdentifier = { String($0.absoluteString.prefix { $0 != "?" }) + " small" } }
        let reply = ScriptedTransport.Reply(body: [.piece(LoaderFixture.image)])
        var requests = ["1", "2"].map { fixture.request("a?sig=\($0)", then: reply) }
        for index in requests.indices { requests[index].headers = ["Accept-Language": "de"] }
        _ = try await fixture.loader.image(for: requests[0])
        #expect(try await fixture.loader.data(for: requests[1]).source == .disk)
    }

    @Test("a request joins the download of the other URL, which is sent as it is")
    func joins() async throws {
        let (first, second) = (request("sig=1", gate: gate), request("sig=2", gate: gate))
        var large = second
        large.target = nil
        let tasks = [first, second, large].map { request in Task { try await fixture.loader.image(for: request) } }
        await fixture.reaches(callers: 5)
        await gate.waitForArrivals(1)
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(fixture.transport.sendCount == 1)
        let sent = fixture.transport.messages.compactMap { if case .sent(let url) = $0 { url.query } else { nil } }
        #expect(sent == ["sig=1"] || sent == ["sig=2"])
    }

    @Test("a reload of one URL outdates the image of the other")
    func reloads() async throws {
        let old = Task { [request = request("sig=1", gate: gate)] in try await fixture.loader.data(for: request) }
        await gate.waitForArrivals(1)
        var reload = request("sig=2")
        reload.mode = .reload
        _ = try await fixture.loader.image(for: reload)
        #expect(fixture.loader.generations.withLock { $0.generation(of: fixture.loader.original(of: reload)) } == 1)
        gate.open()
        _ = try await old.value
    }

    @Test("a prefetcher counts them as one, and stops either", arguments: ImagePrefetcher.Destination.allCases)
    func prefetches(destination: ImagePrefetcher.Destination) async {
        let prefetcher = ImagePrefetcher(loader: fixture.loader, destination: destination)
        prefetcher.start([request("sig=1", gate: gate), request("sig=2", gate: gate)])
        #expect(prefetcher.count == 1)
        prefetcher.stop([request("sig=3")])
        #expect(prefetcher.count == 0)
        gate.open()
        await prefetcher.waitUntilFinished()
    }

    @Test("an identifier of the request takes precedence, and no text equals a name of another kind")
    func kinds() {
        let loader = LoaderFixture { $0.urlIdentifier = { _ in "fetch x" } }.loader
        let (url, fetch) = (request("1"), ImageRequest(.fetch(name: "x") { Data() }))
        #expect(loader.cacheKey(for: url) != loader.cacheKey(for: fetch))
        var named = url
        named.identifier = "y"
        #expect(loader.cacheKey(for: named) == named.cacheKey)
    }
}
