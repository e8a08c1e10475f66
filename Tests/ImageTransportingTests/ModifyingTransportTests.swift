import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

/// A cache that has a response to each request, and logs the requests.
private struct LoggedCache: ResponseCache {
    let log = MessageLog<TransportRequest>()

    func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        log.append(request)
        return .stored(
            TransportResponse(head: ResponseHead(status: .ok, url: request.url), body: TransportBody(Data())))
    }

    func removeStoredResponses(to request: TransportRequest) async { log.append(request) }

    func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        log.append(request)
        return true
    }
}

@Suite("Modifying transport")
struct ModifyingTransportTests {
    private let server = ScriptedTransport()
    private let url: URL

    init() throws { url = try #require(URL(string: "http://a/")) }

    private struct SignedOut: Error {}

    @Test("each request is changed by the modifier")
    func modifies() async throws {
        server.script(url, .ok(Data([1])))
        let transport = ModifyingTransport(
            UncachedTransport(server), modify: { $0.headers[.authorization] = "token" })
        _ = try await transport.send(TransportRequest(url: url))
        #expect(server.requests.map { $0.headers[.authorization] } == ["token"])
    }

    @Test("without a cache, each request is an exchange that had none")
    func uncached() async throws {
        guard case .exchange(.noCache, _) = try await UncachedTransport(server).answer(to: TransportRequest(url: url))
        else {
            Issue.record("another answer")
            return
        }
    }

    @Test("a request is not sent if the modifier throws, and a failure of a transport stays one")
    func modifierFails() async throws {
        for (thrown, failure) in [
            (SignedOut(), .modifier(UnderlyingError(SignedOut()))),
            (TransportError.timedOut(.head), .timedOut(.head)),
        ] as [(any Error & Sendable, TransportError)] {
            let transport = ModifyingTransport(UncachedTransport(server), modify: { _ in throw thrown })
            await #expect(throws: failure) { try await transport.send(TransportRequest(url: url)) }
        }
        #expect(server.sendCount == 0)
    }

    @Test(
        "fields that the modifier adds or changes don't follow a redirect to another server", arguments: [true, false])
    func redirect(_ isOther: Bool) async throws {
        let target = try #require(URL(string: isOther ? "http://b/" : "http://a/2"))
        server.script(url, .status(.found, headers: [.location: target.absoluteString]))
        server.script(target, .ok(Data([1])))
        let key = try #require(HTTPField.Name("X-Api-Key"))
        let network = CircuitBreakingTransport(server, clock: ManualClock())  // it follows redirects
        let transport = ModifyingTransport(
            UncachedTransport(network),
            modify: { request in
                request.headers[key] = "secret"
                request.headers[.userAgent] = "secret agent"
            })
        let headers: HTTPFields = [.userAgent: "agent", .accept: "image/*"]
        _ = try await transport.send(TransportRequest(url: url, headers: headers))
        let sent = server.requests.map(\.headers)
        #expect(sent.map { $0[key] } == ["secret", isOther ? nil : "secret"])
        #expect(sent.map { $0[.userAgent] } == ["secret agent", isOther ? "agent" : "secret agent"])
        #expect(sent.map { $0[.accept] } == ["image/*", "image/*"])
    }

    @Test("a 401 response is discarded, and the request of the challenge handler is sent once")
    func answers() async throws {
        server.script(url, .status(.unauthorized, headers: [.wwwAuthenticate: "Bearer"]), .ok(Data([1])))
        let transport = ModifyingTransport(
            UncachedTransport(server), modify: { $0.headers[.authorization] = "old" },
            challengeHandler: { refused, head in
                #expect(refused.headers[.authorization] == "old")
                #expect(head.headers[.wwwAuthenticate] == "Bearer")
                refused.headers[.authorization] = "new"
                refused.account = "another"
                return true
            })
        let response = try await transport.send(TransportRequest(url: url))
        #expect(response.head.status == .ok)
        #expect(server.requests.map { $0.headers[.authorization] } == ["old", "new"])
        #expect(server.requests.map(\.account) == [nil, nil])
        #expect(server.cancellationCount == 0)
    }

    /// Looks a request up, removes what is stored, and stores a response. Returns whether there and then it has one.
    private func use(_ transport: ModifyingTransport, _ request: TransportRequest) async throws -> [Bool] {
        var isFound = false
        if case .stored = try await transport.answer(to: request) { isFound = true }
        await transport.removeStoredResponses(to: request)
        return [isFound, await transport.storeResponse(Data(), to: request, lifetime: .zero)]
    }

    @Test(
        "what is stored is that of the changed request, for the account of the unchanged one",
        arguments: [nil, [.accept: "a"]] as [HTTPFields?])
    func lookups(identity: HTTPFields?) async throws {
        let cache = LoggedCache()
        let transport = ModifyingTransport(
            cache,
            modify: { request in
                request.url.append(path: "signed")
                request.account = "another"
                request.headers[.authorization] = "token"
            })
        var request = TransportRequest(url: url, headers: [.accept: "image/*"])
        request.account = "ada"
        request.identifier = "key"
        request.identityHeaders = identity
        #expect(try await use(transport, request) == [true, true])
        #expect(cache.log.messages.count == 3)
        for lookup in cache.log.messages {
            #expect(lookup.url.lastPathComponent == "signed" && lookup.identifier == nil && lookup.account == "ada")
            #expect(lookup.headers == [.accept: "image/*", .authorization: "token"])
            #expect(lookup.headersForOtherServers == [.accept: "image/*"])
            #expect(lookup.identityHeaders == identity ?? [.accept: "image/*"])
        }
        request.url = try #require(URL(string: "file:///a"))
        #expect(try await use(transport, request) == [true, true])
        #expect(cache.log.messages.suffix(3).allSatisfy { $0.url == request.url && $0.identifier == "key" })
    }

    @Test("if the modifier throws, only a request with an account has what is stored", arguments: [nil, "ada"])
    func unmodified(account: String?) async throws {
        let cache = LoggedCache()
        let transport = ModifyingTransport(cache, modify: { _ in throw SignedOut() })
        var request = TransportRequest(url: url)
        request.account = account
        let hasAccount = account != nil
        #expect(try await use(transport, request) == [hasAccount, hasAccount])
        #expect(cache.log.messages.count == (hasAccount ? 3 : 0))
    }

    @Test("the challenge handler isn't asked after another status")
    func otherStatus() async throws {
        server.script(url, .status(.forbidden))
        let transport = ModifyingTransport(UncachedTransport(server), challengeHandler: { _, _ in true })
        #expect(try await transport.send(TransportRequest(url: url)).head.status == .forbidden)
        #expect(server.sendCount == 1)
    }

    @Test(
        "a second 401 is the response, and so is one for which the challenge handler returns false",
        arguments: [true, false])
    func refused(_ isAnswered: Bool) async throws {
        server.script(url, .status(.unauthorized))
        let transport = ModifyingTransport(
            UncachedTransport(server), challengeHandler: { _, _ in isAnswered })
        let response = try await transport.send(TransportRequest(url: url))
        #expect(response.head.status == .unauthorized)
        #expect(server.sendCount == (isAnswered ? 2 : 1))
    }

    @Test("the failure of a challenge handler is that of an application's code, not of the network")
    func failed() async throws {
        server.script(url, .status(.unauthorized))
        let failure = CocoaError(.userCancelled)
        let transport = ModifyingTransport(UncachedTransport(server), challengeHandler: { _, _ in throw failure })
        await #expect(throws: TransportError.modifier(UnderlyingError(failure))) {
            try await transport.send(TransportRequest(url: url))
        }
    }
}
