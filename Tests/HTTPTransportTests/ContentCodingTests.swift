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
        #expect(response.head.expectedByteCount == 3 && response.head.headers[.contentEncoding] == "gzip")
        for try await piece in response.body { #expect(piece == Data("abc".utf8)) }
        #expect(server.log.map { $0.headers["accept-encoding"] } == [nil])
    }

    @Test(
        "a gzip body is decoded, whatever else its Content-Encoding has", arguments: HTTPTransport.allCases,
        [
            "gzip", "GZIP", "x-gzip", "gzip, ", ",gzip", "identity, gzip", "gzip, aws-chunked", "aws-chunked,gzip",
            "\r\nContent-Encoding: gzip", "none\r\nContent-Encoding: gzip\r\nContent-Encoding:",
        ])
    func listed(_ http: HTTPTransport, _ coding: String) async throws {
        // "hello" as a stored block
        let packed: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xFA, 0xFF, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x86, 0xA6, 0x10,
            0x36,
            5, 0, 0, 0,
        ]
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(packed.count)\r\n\r\n"
        let server = try LoopbackServer { _ in .steps([.text(head), .bytes(packed)]) }
        let response = try await http.make().send(TransportRequest(url: server.url()))
        #expect(response.head.expectedByteCount == nil)
        #expect(try await collect(response.body) == Array("hello".utf8))
    }

    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n"

    private func undecodedRequest(_ server: LoopbackServer) -> TransportRequest {
        var request = TransportRequest(url: server.url())
        request.decodesContent = false
        return request
    }

    @Test(
        "a body in an unknown transfer coding is returned as received without decoding, up to the end of the connection",
        arguments: HTTPTransport.allCases)
    func unknownTransferCoding(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .steps([.text(Self.head + "\r\nabc"), .close]) }
        let response = try await http.make().send(undecodedRequest(server))
        #expect(response.head.expectedByteCount == nil && response.head.headers[.transferEncoding] == "rot13")
        #expect(try await collect(response.body) == Array("abc".utf8))
    }

    @Test("a body in an unknown transfer coding obeys the limit", arguments: HTTPTransport.allCases)
    func unknownTransferCodingLimit(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .steps([.text(Self.head + "\r\nabcd"), .awaitDisconnect]) }
        var request = undecodedRequest(server)
        request.bodyByteLimit = 3
        #expect(await failure(http.make(), request) == .tooLarge(byteLimit: 3))
    }

    @Test(
        "an unknown transfer coding throws malformedResponse if the body should be decoded or has a length",
        arguments: HTTPTransport.allCases)
    func refusedTransferCoding(_ http: HTTPTransport) async throws {
        let redirect = "HTTP/1.1 302 To\r\nLocation: /c\r\nTransfer-Encoding: rot13\r\n"
        let server = try LoopbackServer { request in
            switch request.path {
            case "/a": .steps([.text(Self.head + "\r\nabc"), .close])
            case "/b": .steps([.text(redirect + "Content-Length: 3\r\n\r\nabc"), .close])
            case "/c": .ok("there".utf8)
            default: .steps([.text(Self.head + "Content-Length: 3\r\n\r\nabc"), .close])
            }
        }
        let decoded = ["/a", "/b"].map { TransportRequest(url: server.url($0)) }
        for request in decoded + [undecodedRequest(server)] {
            #expect(await failure(http.make(), request)?.kind == "malformedResponse")
        }
    }

    @Test(
        "a redirect or a response without a body may have an unknown transfer coding",
        arguments: HTTPTransport.allCases)
    func transferCodingWithoutBody(_ http: HTTPTransport) async throws {
        let rest = "Transfer-Encoding: rot13\r\n\r\n"
        let server = try LoopbackServer { request in
            if request.path == "/b" { return .steps([.text("HTTP/1.1 204 No\r\n" + rest), .close]) }
            return .steps([.text("HTTP/1.1 302 To\r\nLocation: /b\r\n" + rest + "abc"), .close])
        }
        let response = try await http.make().send(TransportRequest(url: server.url("/a")))
        #expect(response.head.status == .noContent)
        #expect(try await collect(response.body).isEmpty)
    }
}
