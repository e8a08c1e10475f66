import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@Suite("Code of the application that uses its loader")
final class ApplicationCodeTests: Sendable {
    private let loader = Mutex<ImageLoader?>(nil)
    private let token: URL

    init() throws { token = try #require(URL(string: "http://images.example/token")) }

    /// Returns a loader with one download slot, which passes its requests to a transport over its own.
    private func makeFixture(
        retries: Int = 0, _ modifying: @escaping @Sendable (LoaderTransport) -> ModifyingTransport
    ) -> LoaderFixture {
        let fixture = LoaderFixture.stepped(retries: retries, downloads: 1) {
            $0.transport = .cached(modifying($0.transport))
        }
        loader.withLock { $0 = fixture.loader }
        return fixture
    }

    private struct SignedOut: Error {}

    /// Adds a token that is loaded with the loader.
    private func authorize(_ request: inout TransportRequest) async throws {
        let data = try await loader.withLock { $0 }?.data(for: ImageRequest(url: token)).data
        request.headers[.authorization] = "\(data?.count ?? 0)"
    }

    private func sources(of requests: [ImageRequest], from fixture: LoaderFixture) async throws -> [ImageSource] {
        let tasks = requests.map { request in
            fixture.start { try await fixture.loader.data(for: request).source }
        }
        for _ in 0..<3 {
            fixture.run()
            fixture.clock.advance(by: .seconds(60))
        }
        fixture.loader.shutDown()
        fixture.run()
        var sources: [ImageSource] = []
        for task in tasks { sources.append(try await task.value) }
        return sources
    }

    @Test(
        "answers 401 with a token from its loader while images wait for the only slot, which the new request asks for")
    func challenge() async throws {
        let fixture = makeFixture { base in
            ModifyingTransport(
                base,
                challengeHandler: { request, _ in
                    try await self.authorize(&request)
                    return true
                })
        }
        _ = fixture.request("token")
        let refused = ["a", "b"].map { fixture.request($0, first: .status(.unauthorized)) }
        let urgent = fixture.request("urgent") { $0.priority = .veryHigh }
        let sources = try await sources(of: refused + [urgent], from: fixture)
        #expect(sources == [.network, .network, .network])
        #expect(fixture.transport.requests.filter { $0.headers[.authorization] != nil }.count == 2)
        #expect(fixture.observer.kinds().count { $0 == .downloadStarted } == 6)
    }

    @Test("a challenge is answered once, and an error of its handler is that of the request")
    func failingChallenge() async throws {
        let fixture = makeFixture { base in
            ModifyingTransport(
                base,
                challengeHandler: { request, _ in
                    switch request.url.lastPathComponent {
                    case "b": throw SignedOut()
                    case "c": throw ImageError.httpStatus(400)  // of a request for a token
                    default: return true
                    }
                })
        }
        let signedOut = ImageError.modifier(UnderlyingError(SignedOut()))
        for (name, error) in [("a", ImageError.httpStatus(401)), ("b", signedOut), ("c", .httpStatus(400))] {
            let request = fixture.request(name, then: .status(.unauthorized))
            let task = fixture.start { try await fixture.loader.data(for: request) }
            fixture.run()
            await #expect(throws: error) { try await task.value }
        }
        #expect(fixture.sent == ["a", "a", "b", "c"])
    }

    @Test("changes a retry with a token from its loader, which waits for no slot of the retry")
    func modifier() async throws {
        let fixture = makeFixture(retries: 1) { base in
            ModifyingTransport(base, modify: { if $0.url != self.token { try await self.authorize(&$0) } })
        }
        _ = fixture.request("token")
        let failing = fixture.request("a", first: .status(.serviceUnavailable))
        #expect(try await sources(of: [failing], from: fixture) == [.network])
        #expect(fixture.sent.filter { $0 == "a" }.count == 2)
    }
}
