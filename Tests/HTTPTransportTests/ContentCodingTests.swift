import Foundation
import HTTPTransports
import HTTPTypes
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Content codings")
struct ContentCodingTests {
    @Test(
        "a request without content decoding requests no coding and gets the body unchanged, with its length",
        arguments: HTTPTransport.allCases)
    func undecoded(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .ok("abc".utf8, headers: ["Content-Encoding": "gzip"]) }
        var request = TransportRequest(url: server.url("/a"))
        request.decodesContent = false
        let response = try await http.make().send(request)
        #expect(response.head.expectedBytes == 3 && response.head.headers[.contentEncoding] == "gzip")
        for try await piece in response.body { #expect(piece == Data("abc".utf8)) }
        #expect(server.log.map { $0.headers["accept-encoding"] } == [nil])
    }
}
