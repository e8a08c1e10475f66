import Foundation
import HTTPTransports
import HTTPTypes
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTransporting
import LoopbackServer
import Synchronization
import Testing

@testable import ImageTesting

/// Tests the transports that `ImageLoaderOptions` composes.
@Suite("Composed transports", .timeLimit(.minutes(10)))
struct CompositionTests {
    private typealias Modifier = ModifyingTransport.Modifier

    /// Returns a server whose body depends on the user's credentials.
    private func personalOrigin() throws -> LoopbackServer {
        try LoopbackServer { request in
            .ok(Array((request.headers["authorization"] ?? "nobody").utf8), headers: Images.fresh)
        }
    }

    private static let body = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 9) }

    /// Returns a server of 3 MiB whose first responses, `count` of them, end after 2 MiB.
    private func interruptedOrigin(count: Int = 1) throws -> LoopbackServer {
        let replies = Counter()
        return try LoopbackServer { request in
            .response(.resumable(Self.body, tag: "\"1\"", to: request), cut: replies.next() < count ? 2 << 20 : nil)
        }
    }

    private func adding(_ token: @escaping @Sendable () -> String) -> Modifier {
        { $0.headers[.authorization] = token() }
    }

    private func text(_ url: URL, _ test: TestLoader) async throws -> String {
        String(decoding: try await test.loader.data(for: ImageRequest(url: url)).data, as: UTF8.self)
    }

    @Test("an interrupted download resumes with a new loader", arguments: HTTPTransport.allCases)
    func interrupted(_ http: HTTPTransport) async throws {
        let server = try interruptedOrigin()
        let first = TestLoader(http)
        await #expect(throws: ImageError.self) { try await first.loader.data(for: ImageRequest(url: server.url())) }
        let second = TestLoader(http, folder: first.folder)
        let loaded = try await second.loader.data(for: ImageRequest(url: server.url()))
        #expect(loaded.data == Data(Self.body))
        let lost = http.losesUnreadBytes ? 2 << 20 : 0
        #expect(server.log.map { $0.headers["range"] != nil } == [false, true])
        #expect(server.sentByteCount < Self.body.count + lost + 10_000)
    }

    @Test(
        "without partial downloads, an interrupted download starts from the beginning",
        arguments: HTTPTransport.allCases)
    func notResumed(_ http: HTTPTransport) async throws {
        let server = try interruptedOrigin()
        let test = TestLoader(http) { $0.partialDownloadByteLimit = 0 }
        await #expect(throws: ImageError.self) { try await test.loader.data(for: ImageRequest(url: server.url())) }
        #expect(try await test.loader.data(for: ImageRequest(url: server.url())).data == Data(Self.body))
        #expect(server.log.allSatisfy { $0.headers["range"] == nil })
    }

    @Test("an encrypted part of a download is only resumed with its key", arguments: [7, 8] as [UInt8])
    func encryptedPart(key: UInt8) async throws {
        let (http, server) = (HTTPTransport.allCases[0], try interruptedOrigin())
        let first = TestLoader(http) { $0.diskEncryption = FakeEncryption(key: 7) }
        await #expect(throws: ImageError.self) { try await first.loader.data(for: ImageRequest(url: server.url())) }
        let second = TestLoader(http, folder: first.folder) { $0.diskEncryption = FakeEncryption(key: key) }
        #expect(try await second.loader.data(for: ImageRequest(url: server.url())).data == Data(Self.body))
        #expect(server.log.map { $0.headers["range"] != nil } == [false, key == 7])
    }

    @Test("no-store responses leave no partial download on disk", arguments: HTTPTransport.allCases)
    func bypassed(_ http: HTTPTransport) async throws {
        let server = try interruptedOrigin(count: .max)
        let test = TestLoader(http)
        let request = ImageRequest(url: server.url(), cachePolicy: .memoryOnly)
        await #expect(throws: ImageError.self) { try await test.loader.data(for: request) }
        await #expect(throws: ImageError.self) { try await test.loader.data(for: request) }
        #expect(server.log.map { $0.headers["range"] } == [nil, nil])
    }

    @Test(
        "a modifier's token is sent, and an image loaded with it isn't returned for another token",
        arguments: HTTPTransport.allCases)
    func tokens(_ http: HTTPTransport) async throws {
        let server = try personalOrigin()
        let token = Mutex("ada")
        let modifier = adding { token.withLock { $0 } }
        let test = TestLoader(http) { $0.requestModifier = modifier }
        #expect(try await text(server.url("/me"), test) == "ada")
        #expect(try await text(server.url("/me"), test) == "ada")
        #expect(server.requestCount == 1)
        token.withLock { $0 = "bob" }
        #expect(try await text(server.url("/me"), test) == "bob")
        token.withLock { $0 = "ada" }
        #expect(try await text(server.url("/me"), test) == "ada")
        #expect(server.requestCount == 2)
    }

    @Test(
        "with an account, responses for an old token are found with a new one, but not with another account",
        arguments: HTTPTransport.allCases)
    func accounts(_ http: HTTPTransport) async throws {
        let server = try personalOrigin()
        let modifier = adding { "first token" }
        let ada = TestLoader(http) {
            $0.account = { "ada" }
            $0.requestModifier = modifier
        }
        #expect(try await text(server.url("/me"), ada) == "first token")
        let laterModifier = adding { "second token" }
        let later = TestLoader(http, folder: ada.folder) {
            $0.account = { "ada" }
            $0.requestModifier = laterModifier
        }
        #expect(try await text(server.url("/me"), later) == "first token")
        let bob = TestLoader(http, folder: ada.folder) {
            $0.account = { "bob" }
            $0.requestModifier = laterModifier
        }
        #expect(try await text(server.url("/me"), bob) == "second token")
        #expect(server.requestCount == 2)
    }

    @Test(
        "a request fails whose account changes before its token is added, and the next one has the image of its user",
        arguments: HTTPTransport.allCases)
    func signedOut(_ http: HTTPTransport) async throws {
        let server = try personalOrigin()
        let user = Mutex("ada")
        let modifier = adding {
            user.withLock { $0 = "bob" }
            return "bob"
        }
        let test = TestLoader(http) {
            $0.account = { user.withLock { $0 } }
            $0.requestModifier = modifier
        }
        await #expect(throws: ImageError.accountChanged) { try await text(server.url("/me"), test) }
        #expect(server.requestCount == 0)
        #expect(try await text(server.url("/me"), test) == "bob")
    }

    @Test("a partial download is not resumed with another account", arguments: HTTPTransport.allCases)
    func parts(_ http: HTTPTransport) async throws {
        let server = try interruptedOrigin()
        let ada = TestLoader(http) { $0.account = { "ada" } }
        await #expect(throws: ImageError.self) { try await ada.loader.data(for: ImageRequest(url: server.url())) }
        let bob = TestLoader(http, folder: ada.folder) { $0.account = { "bob" } }
        _ = try await bob.loader.data(for: ImageRequest(url: server.url()))
        #expect(server.log.map { $0.headers["range"] } == [nil, nil])
    }

    @Test("a modifier's token is not sent to another origin", arguments: HTTPTransport.allCases)
    func redirected(_ http: HTTPTransport) async throws {
        let other = try personalOrigin()
        let there = other.url("/image").absoluteString
        let server = try LoopbackServer { _ in .redirect(to: there) }
        let modifier = adding { "secret" }
        for account in [nil, "ada"] {
            let test = TestLoader(http) {
                $0.account = { account }
                $0.requestModifier = modifier
            }
            #expect(try await text(server.url(), test) == "nobody")
        }
        #expect(server.log.allSatisfy { $0.headers["authorization"] == "secret" })
        #expect(other.log.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test(
        "an account's images are found offline without a token",
        arguments: HTTPTransport.allCases)
    func offline(_ http: HTTPTransport) async throws {
        let server = try personalOrigin()
        let isOffline = Mutex(false)
        let modifier: Modifier = { _ in
            if isOffline.withLock({ $0 }) { throw CancellationError() }
        }
        let test = TestLoader(http) {
            $0.account = { "ada" }
            $0.requestModifier = modifier
        }
        #expect(try await text(server.url(), test) == "nobody")
        isOffline.withLock { $0 = true }
        #expect(try await text(server.url(), test) == "nobody")
        #expect(server.requestCount == 1)
    }

    @Test(
        "a background validation waits for a download slot of its server, even if there are slots for others",
        arguments: HTTPTransport.allCases, [1, 2])
    func backgroundValidation(_ http: HTTPTransport, maxDownloads: Int) async throws {
        let held = LoopbackSignal()
        let stale = ["Cache-Control": "max-age=0, stale-while-revalidate=600"]
        let server = try LoopbackServer { request in
            guard request.path == "/held" else { return .ok([1], headers: stale) }
            return .steps([.wait(held), .text(LoopbackReply.head(status: 200, headers: ["Content-Length": "0"]))])
        }
        let test = TestLoader(http) { $0.maxDownloads = maxDownloads }
        _ = try await text(server.url("/stale"), test)
        async let waiting = text(server.url("/held"), test)
        await held.arrivals(1)
        _ = try await text(server.url("/stale"), test)
        async let next = text(server.url("/next"), test)
        held.open()
        _ = try await (waiting, next)
        await server.requests(4)
        #expect(server.log.map(\.path).prefix(2) == ["/stale", "/held"])
        #expect(Set(server.log.map(\.path).suffix(2)) == ["/next", "/stale"])
        #expect(server.connectionCount == 1)
    }

    @Test("a 401 response is retried once with the app's new credentials", arguments: HTTPTransport.allCases)
    func challenged(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { request in
            guard let token = request.headers["authorization"] else { return .response(status: 401) }
            return .ok(Array(token.utf8))
        }
        let test = TestLoader(http) {
            $0.challengeHandler = { request, _ in
                request.headers[.authorization] = "asked"
                return true
            }
        }
        #expect(try await text(server.url(), test) == "asked")
        #expect(server.requestCount == 2)
    }
}
