import Foundation
import HTTPTransports
import ImageCore
import ImageLoading
import ImageTesting
import LoopbackServer
import Testing

/// Equivalent URLs are one image in memory, on disk and while it is loaded (RFC 3986, 6.2.2 and 6.2.3).
@Suite("Equivalent URLs", .timeLimit(.minutes(10)))
struct EquivalentURLTests {
    private func server(_ signal: LoopbackSignal? = nil) throws -> LoopbackServer {
        let jpeg = try Images.jpeg(40, 30)
        let head = LoopbackReply.head(
            status: 200, headers: ["Content-Length": "\(jpeg.count)", "Cache-Control": "max-age=600"])
        return try LoopbackServer { _ in
            .steps([.text(head)] + (signal.map { [.wait($0)] } ?? []) + [.bytes(jpeg)])
        }
    }

    /// Returns the URL of a path and query, with the scheme in upper case and a fragment.
    private func url(_ server: LoopbackServer, _ path: String) throws -> URL {
        try #require(URL(string: "HTTP://127.0.0.1:\(server.port)\(path)#part"))
    }

    private static let pairs = [
        ("/%7eann/a%2fb", "/~ann/a%2Fb"), ("/a?sig=%2b%61", "/a?sig=%2Ba"), ("", "/"), ("/a/%2E%2E/b", "/b"),
    ]

    @Test("memory and disk return the image of an equivalent URL", arguments: HTTPTransport.allCases, pairs)
    func cached(_ http: HTTPTransport, _ paths: (String, String)) async throws {
        let server = try server()
        let test = TestLoader(http)
        let (first, second) = (ImageRequest(url: try url(server, paths.0)), ImageRequest(url: server.url(paths.1)))
        _ = try await test.loader.image(for: first)
        #expect(test.loader.cachedImage(for: second) != nil)
        let relaunched = TestLoader(http, folder: test.folder)
        #expect(try await relaunched.loader.image(for: second).source == .disk)
        #expect(server.requestCount == 1)
    }

    @Test("requests for equivalent URLs share one download, which sends the URL of the first unchanged")
    func shared() async throws {
        let signal = LoopbackSignal()
        let server = try server(signal)
        let test = TestLoader(HTTPTransport.allCases[0])
        let signed = try url(server, "/%7eann?Signature=a%2fb%3d")
        async let first = test.loader.image(for: ImageRequest(url: signed))
        await signal.arrivals(1)
        async let second = test.loader.image(for: ImageRequest(url: server.url("/~ann?Signature=a%2Fb%3D")))
        await test.observer.waitUntil { events in events.count { $0.kind == .memoryMiss(.absent) } == 2 }
        signal.open()
        _ = try await (first, second)
        #expect(server.log.map(\.target) == ["/%7eann?Signature=a%2fb%3d"])
    }

    @Test("an image of one user isn't returned to another, and URLs with other meaning are other images")
    func different() async throws {
        let server = try server()
        let test = TestLoader(HTTPTransport.allCases[0])
        let urls = [
            "ann:1@127.0.0.1:\(server.port)/a", "bob:2@127.0.0.1:\(server.port)/a", "127.0.0.1:\(server.port)/A",
        ]
        .map { "http://\($0)" }
        for text in urls { _ = try await test.loader.image(for: ImageRequest(url: try #require(URL(string: text)))) }
        let relaunched = TestLoader(HTTPTransport.allCases[0], folder: test.folder)
        for text in urls {
            let request = ImageRequest(url: try #require(URL(string: text)))
            #expect(try await relaunched.loader.image(for: request).source == .disk)
        }
        #expect(Set(server.log.map { $0.headers["authorization"] ?? "" }).count == 3)
        #expect(server.requestCount == 3)
    }
}
