import Foundation
import HTTPTransports
import HTTPTypes
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Requests and responses over HTTP/1.1", .timeLimit(.minutes(10)))
struct ExchangeTests {
    @Test("informational responses are skipped", arguments: HTTPTransport.allCases)
    func informational(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in
            .steps([
                .text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"),
                .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ])
        }
        let response = try await http.make().send(TransportRequest(url: server.url()))
        #expect(response.head.status == .ok)
        #expect(response.head.headers[HTTPField.Name("Link")!] == nil)
        #expect(try await collect(response.body) == Array("ok".utf8))
    }

    @Test("a HEAD request has no body", arguments: HTTPTransport.allCases)
    func head(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")]) }
        let response = try await http.make().send(TransportRequest(url: server.url(), method: .head))
        #expect(try await collect(response.body) == [])
        #expect(server.log.map(\.method) == ["HEAD"])
    }

    @Test(
        "a request body is sent with its length and without additional header fields",
        arguments: HTTPTransport.allCases, [HTTPRequest.Method.post, .put, .patch, .delete, .get])
    func upload(_ http: HTTPTransport, _ method: HTTPRequest.Method) async throws {
        let server = try LoopbackServer { _ in .ok([1]) }
        let body = pattern(1_100_000)
        let request = TransportRequest(url: server.url(), method: method, body: Data(body))
        _ = try await collect(try await http.make().send(request).body)
        let received = try #require(server.log.first)
        #expect(received.method == method.rawValue)
        #expect(received.body == body)
        // libcurl adds "Accept: */*".
        #expect(Set(received.headers.keys).subtracting(["accept"]) == ["host", "accept-encoding", "content-length"])
    }

    @Test(
        "a POST without a body has a Content-Length of 0, and a GET has none", arguments: HTTPTransport.allCases,
        [HTTPRequest.Method.post, .get])
    func noUpload(_ http: HTTPTransport, _ method: HTTPRequest.Method) async throws {
        let server = try LoopbackServer { _ in .ok([1]) }
        _ = try await collect(try await http.make().send(TransportRequest(url: server.url(), method: method)).body)
        #expect(server.log.map { $0.headers["content-length"] } == [method == .post ? "0" : nil])
    }

    @Test("consecutive requests share a connection", arguments: HTTPTransport.allCases)
    func reuse(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .ok(pattern(1000)) }
        let transport = http.make()
        for _ in 0..<20 { _ = try await collect(try await transport.send(TransportRequest(url: server.url())).body) }
        #expect(server.connectionCount == 1)
    }

    @Test(
        "200 concurrent requests all get a response, within the connection limit",
        arguments: HTTPTransport.allCases)
    func concurrent(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { request in .ok(request.path.utf8) }
        let transport = http.make(perHost: 6)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let response = try await transport.send(TransportRequest(url: server.url("/\(number)")))
                    return try await collect(response.body) == Array("/\(number)".utf8)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(server.requestCount == 200)
        #expect(server.connectionCount <= 6)
    }

    @Test("connections are closed when the transport is released", arguments: HTTPTransport.allCases)
    func release(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .ok([1]) }
        do {
            _ = try await collect(try await http.make().send(TransportRequest(url: server.url())).body)
        }
        await server.disconnects(1)
    }

    @Test("a body can be read after its transport was released", arguments: HTTPTransport.allCases)
    func bodyOutlives(_ http: HTTPTransport) async throws {
        let gate = LoopbackSignal()
        let server = try LoopbackServer { _ in
            .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n12"), .wait(gate), .text("34")])
        }
        let body = try await http.make().send(TransportRequest(url: server.url())).body
        gate.open()
        #expect(try await collect(body) == Array("1234".utf8))
    }

    @Test(
        "a URL with another scheme or without a host is invalid",
        arguments: HTTPTransport.allCases, ["file:///etc/hostname", "ftp://127.0.0.1/", "http:///x", "data:,x"])
    func otherSchemes(_ http: HTTPTransport, _ text: String) async throws {
        let url = try #require(URL(string: text))
        #expect(await failure(http.make(), TransportRequest(url: url)) == .invalidURL(text))
    }
}
