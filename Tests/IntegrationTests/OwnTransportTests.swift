import Foundation
import HTTPTransports
import ImageTesting
import LoopbackServer
import Testing

@testable import ImageLoaderKit

@Suite("An application's own transport", .timeLimit(.minutes(5)))
struct OwnTransportTests {
    /// The documented ways to add something to requests.
    enum Way: CaseIterable { case transport, requestModifier, both }

    private static let modifier: ModifyingTransport.Modifier = { $0 = SigningTransport.signed($0) }

    private func makeTest(_ way: Way, over network: ScriptedTransport? = nil) throws -> TestLoader {
        let http = try #require(HTTPTransport.allCases.first)
        return TestLoader(http) { options in
            options.makeTransport = {
                let base = network ?? $0
                return way == .requestModifier ? base : SigningTransport(base: base)
            }
            if way != .transport { options.requestModifier = Self.modifier }
            options.maxDownloads = 3
        }
    }

    @Test(
        "stored images are found without the network, fresh or stale", arguments: Way.allCases,
        ["max-age=600", "max-age=0"])
    func onlyIfCached(_ way: Way, lifetime: String) async throws {
        let png = try Images.png(4, 3)
        let server = try LoopbackServer { request in
            request.headers["authorization"] == "signed"
                ? .ok(png, headers: ["Cache-Control": lifetime]) : .response(status: 401)
        }
        let test = try makeTest(way)
        var request = ImageRequest(url: server.url("/a.png"), cachePolicy: .diskOnly)
        #expect(try await test.loader.image(for: request).source == .network)
        request.mode = .onlyIfCached
        #expect(try await test.loader.image(for: request).source == (lifetime == "max-age=0" ? .stale : .disk))
        request.origin = .url(server.url("/missing.png"))
        await #expect(throws: ImageError.offline) { try await test.loader.image(for: request) }
        #expect(server.requestCount == 1)
    }

    @Test("stored images don't wait for downloads that hang", arguments: Way.allCases)
    func hangingDownloads(_ way: Way) async throws {
        let (network, gate) = (ScriptedTransport(), TestGate())
        let test = try makeTest(way, over: network)
        func request(_ name: String, _ reply: ScriptedTransport.Reply) throws -> ImageRequest {
            let url = try #require(URL(string: "http://images.example/\(name)"))
            network.script(url, reply)
            return ImageRequest(url: url, cachePolicy: .diskOnly)
        }
        let image = Data(try Images.png(4, 3))
        let stored = try request("stored", .ok(image, headers: [.cacheControl: "max-age=600"]))
        _ = try await test.loader.image(for: stored)
        let hanging = try (0..<4).map {
            try request("\($0)", .init(body: [.piece(image.prefix(1)), .wait(gate), .piece(image.dropFirst(1))]))
        }
        let tasks = hanging.map { request in Task { try await test.loader.image(for: request) } }
        await gate.waitForArrivals(2)
        #expect(try await test.loader.image(for: stored).source == .disk)
        gate.open()
        for task in tasks { #expect(try await task.value.source == .network) }
    }

    @Test("a configuration with another transport keeps the cache, or says that it has none")
    func composedByHand() async throws {
        let network = ScriptedTransport()
        let url = try #require(URL(string: "http://images.example/a"))
        let archived = try #require(URL(string: "archive:///a"))
        for url in [url, archived] { network.script(url, .ok(Data([1]), headers: [.cacheControl: "max-age=600"])) }
        let folder = try makeTest(.transport)
        var options = ImageLoaderOptions(cacheDirectory: folder.folder)
        options.makeTransport = { _ in network }
        options.storeClock = nil
        options.connectivityMonitor = nil
        var configuration = options.makeParts()
        configuration.transport = configuration.transport.adding(OneFile(), forScheme: "ARCHIVE")
        let loader = ImageLoader(configuration)
        #expect(try await loader.data(for: ImageRequest(url: archived)).data == OneFile.bytes)
        _ = try await loader.data(for: ImageRequest(url: url))
        let offline = ImageRequest(url: url, mode: .onlyIfCached)
        #expect(try await loader.data(for: offline).source == .disk)
        configuration.transport = .uncached(SigningTransport(base: configuration.transport))
        await #expect(throws: ImageError.self) { try await ImageLoader(configuration).data(for: offline) }
    }
}

/// Signs each request.
private struct SigningTransport: DataTransport {
    let base: any DataTransport

    static func signed(_ request: TransportRequest) -> TransportRequest {
        var request = request
        request.headers[.authorization] = "signed"
        return request
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        try await base.send(Self.signed(request))
    }
}

private struct OneFile: DataTransport {
    static let bytes = Data([7])

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        TransportResponse(head: ResponseHead(status: .ok, url: request.url), body: TransportBody(Self.bytes))
    }
}
