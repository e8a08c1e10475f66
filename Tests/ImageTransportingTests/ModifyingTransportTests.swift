import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

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

    @Test("a request is not sent if the modifier throws")
    func modifierFails() async throws {
        let transport = ModifyingTransport(
            UncachedTransport(server), modify: { _ in throw SignedOut() })
        await #expect(throws: TransportError.modifier(UnderlyingError(SignedOut()))) {
            try await transport.send(TransportRequest(url: url))
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
                return true
            })
        let response = try await transport.send(TransportRequest(url: url))
        #expect(response.head.status == .ok)
        #expect(server.requests.map { $0.headers[.authorization] } == ["old", "new"])
        #expect(server.cancellationCount == 0)
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
}
