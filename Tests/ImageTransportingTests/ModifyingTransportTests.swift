import Foundation
import HTTPTypes
import ImageTesting
import ImageTransporting
import Testing

@Suite("A transport that changes requests")
struct ModifyingTransportTests {
    private let origin = ScriptedTransport()
    private let url: URL

    init() throws { url = try #require(URL(string: "http://a/")) }

    private func authorized(_ request: TransportRequest, _ token: String) -> TransportRequest {
        var request = request
        request.headers[.authorization] = token
        return request
    }

    @Test("every request is sent as the modifier says")
    func modifies() async throws {
        origin.script(url, .ok(Data([1])))
        let transport = ModifyingTransport(origin, modify: { request in authorized(request, "token") })
        _ = try await transport.send(TransportRequest(url: url))
        #expect(origin.requests.map { $0.headers[.authorization] } == ["token"])
    }

    @Test("a modifier that has no token to give fails the request, which is not sent")
    func modifierFails() async throws {
        let transport = ModifyingTransport(
            origin, modify: { _ throws(TransportFailure) in throw TransportFailure.other("signed out") })
        await #expect(throws: TransportFailure.other("signed out")) {
            try await transport.send(TransportRequest(url: url))
        }
        #expect(origin.sendCount == 0)
    }

    @Test("a refusal is answered once, and the refused body is discarded")
    func answers() async throws {
        origin.script(url, .status(.unauthorized, headers: [.wwwAuthenticate: "Bearer"]), .ok(Data([1])))
        let transport = ModifyingTransport(
            origin, modify: { request in authorized(request, "old") },
            answeringChallenges: { refused, head in
                #expect(refused.headers[.authorization] == "old")
                #expect(head.headers[.wwwAuthenticate] == "Bearer")
                return authorized(refused, "new")
            })
        let response = try await transport.send(TransportRequest(url: url))
        #expect(response.head.status == .ok)
        #expect(origin.requests.map { $0.headers[.authorization] } == ["old", "new"])
        #expect(origin.cancellationCount == 0)
    }

    @Test("a second refusal is the response, and so is one that nobody answers", arguments: [true, false])
    func refused(_ isAnswered: Bool) async throws {
        origin.script(url, .status(.unauthorized))
        let transport = ModifyingTransport(origin, answeringChallenges: { refused, _ in isAnswered ? refused : nil })
        let response = try await transport.send(TransportRequest(url: url))
        #expect(response.head.status == .unauthorized)
        #expect(origin.sendCount == (isAnswered ? 2 : 1))
    }
}
