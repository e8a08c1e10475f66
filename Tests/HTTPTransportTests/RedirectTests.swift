import Foundation
import HTTPTransports
import HTTPTypes
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Redirects over HTTP/1.1", .timeLimit(.minutes(10)))
struct RedirectTests {
    @Test(
        "a Location is requested as browsers request it: encodings stay, and the rest is encoded",
        arguments: HTTPTransport.allCases,
        [
            ("/My%20Photo-é.png", "/My%20Photo-%C3%A9.png"), ("/a%20[1].png", "/a%20%5B1%5D.png"),
            ("x%2Fy?z=%20{é}", "/x%2Fy?z=%20%7B%C3%A9%7D"), ("/a b%c3%a9#c", "/a%20b%c3%a9"), ("\\a\\b", "/a/b"),
            ("/%2e%2E/a/./b", "/a/b"), ("/%", "/%25"),
        ])
    func encodedLocations(_ http: HTTPTransport, _ redirect: (location: String, target: String)) async throws {
        let server = try LoopbackServer { $0.path == "/start" ? .redirect(to: redirect.location) : .ok("end".utf8) }
        let response = try await http.make().send(TransportRequest(url: server.url("/start")))
        #expect(try await collect(response.body) == Array("end".utf8))
        #expect(server.log.map(\.target) == ["/start", redirect.target])
    }

    @Test("the total time is that of all redirects together", arguments: HTTPTransport.allCases)
    func totalTime(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { request in
            let next = (Int(request.path.dropFirst()) ?? 0) + 1
            if next > 9 { return .ok([1]) }
            let head = "HTTP/1.1 302 Found\r\nLocation: /\(next)\r\nContent-Length: 0\r\n\r\n"
            return .steps([.pause(.milliseconds(200)), .text(head)])
        }
        let request = TransportRequest(url: server.url("/1"), totalTimeout: .seconds(1))
        #expect(await failure(http.make(), request) == .timedOut(.total))
    }

    @Test("credentials are only sent to their server", arguments: HTTPTransport.allCases)
    func credentials(_ http: HTTPTransport) async throws {
        let other = try LoopbackServer { _ in .ok([1]) }
        let target = other.url("/end").absoluteString
        let server = try LoopbackServer { request in
            .redirect(to: request.path == "/1" ? "/2" : target)
        }
        let headers: HTTPFields = [.authorization: "Bearer secret", .cookie: "a=b", .accept: "image/*"]
        let request = TransportRequest(url: server.url("/1"), headers: headers)
        _ = try await collect(try await http.make().send(request).body)
        #expect(server.log.map { $0.headers["authorization"] } == ["Bearer secret", "Bearer secret"])
        #expect(other.log.map { $0.headers["authorization"] } == [nil])
        #expect(other.log.map { $0.headers["cookie"] } == [nil])
        #expect(other.log.map { $0.headers["accept"] } == ["image/*"])
    }

    @Test("a request body is sent again after 307 and removed after 303", arguments: HTTPTransport.allCases)
    func bodies(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/1": .redirect(to: "/2", status: 307)
            case "/2": .redirect(to: "/3", status: 303)
            default: .ok([1])
            }
        }
        let request = TransportRequest(
            url: server.url("/1"), method: .post, headers: [.contentType: "text/plain"], body: Data("up".utf8))
        _ = try await collect(try await http.make().send(request).body)
        #expect(server.log.map(\.method) == ["POST", "POST", "GET"])
        #expect(server.log.map(\.body) == [Array("up".utf8), Array("up".utf8), []])
        #expect(server.log.map { $0.headers["content-type"] } == ["text/plain", "text/plain", nil])
    }

    @Test("the body of a redirect is not read to its end if it is huge or endless", arguments: HTTPTransport.allCases)
    func endlessBody(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/1" else { return .ok("end".utf8) }
            let head = LoopbackReply.head(status: 302, headers: ["Location": "/2", "Content-Length": "\(1 << 30)"])
            return .steps([.text(head), .bytes(pattern(1 << 20)), .awaitDisconnect])
        }
        let response = try await http.make().send(TransportRequest(url: server.url("/1"), bodyByteLimit: 100))
        #expect(try await collect(response.body) == Array("end".utf8))
        await server.abandonments(1)
    }
}
