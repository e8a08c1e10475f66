#if os(Linux)
    import Foundation
    import HTTPTransports
    import HTTPTypes
    import ImageTransporting
    import LoopbackServer
    import Testing

    /// AsyncHTTPClient can't: SwiftNIO turns values into text.
    @Suite("Bytes of header fields that aren't UTF-8")
    struct HeaderBytesTests {
        private static let tag: [UInt8] = Array("\"caf".utf8) + [0xE9, 0xFF, 0x80] + Array("\"".utf8)

        private func reply(_ status: Int, _ name: String, _ value: [UInt8], then: String = "") -> LoopbackReply {
            let start = "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\(name): "
            return .steps([.text(start), .bytes(value), .text("\r\n\(then)\r\n")])
        }

        @Test("a value arrives with its bytes, and is sent back with them")
        func echo() async throws {
            let server = try LoopbackServer { _ in reply(200, "ETag", Self.tag, then: "X-Text: é\r\n") }
            let transport = HTTPTransport.curl.make()
            let head = try await transport.send(TransportRequest(url: server.url())).head
            let field = try #require(head.headers[fields: .eTag].first)
            #expect(unsafe field.withUnsafeBytesOfValue { unsafe Array($0) } == Self.tag)
            #expect(head.headers[HTTPField.Name("X-Text")!] == "é")
            var request = TransportRequest(url: server.url())
            request.headers.append(HTTPField(name: .ifNoneMatch, value: Self.tag))
            request.headers[.accept] = "image/é"
            _ = try await transport.send(request)
            let sent = try #require(server.log.last).head
            #expect(sent.split(separator: 0x0A).contains { $0.starts(with: Array("If-None-Match: ".utf8) + Self.tag) })
            #expect(server.log.last?.headers["accept"] == "image/é")
        }

        @Test("a folded line continues the bytes of its field")
        func folded() async throws {
            let server = try LoopbackServer { _ in reply(200, "ETag", [0xE9], then: "\t\u{E9}x\r\nAge: 1\r\n") }
            let head = try await HTTPTransport.curl.make().send(TransportRequest(url: server.url())).head
            let field = try #require(head.headers[fields: .eTag].first)
            #expect(unsafe field.withUnsafeBytesOfValue { unsafe Array($0) } == [0xE9, 0x20] + Array("éx".utf8))
            #expect(head.headers[.age] == "1")
        }

        @Test("a byte of a Location that isn't UTF-8 is percent-encoded as it is")
        func location() async throws {
            let server = try LoopbackServer { request in
                request.path == "/" ? reply(302, "Location", Array("/caf".utf8) + [0xE9] + Array("%20".utf8)) : .ok([1])
            }
            _ = try await HTTPTransport.curl.make().send(TransportRequest(url: server.url("/")))
            #expect(server.log.map(\.target) == ["/", "/caf%E9%20"])
        }
    }
#endif
