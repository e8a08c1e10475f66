#if AsyncHTTPClient
    import Foundation
    import HTTPTypes
    import ImageTransportAsyncHTTPClient
    import ImageTransporting
    import LoopbackServer
    import Testing

    @Suite("Responses over SwiftNIO", .timeLimit(.minutes(10)))
    struct ResponseTests {
        private let transport = AsyncHTTPClientTransport(options: .init(maxIdleTime: .seconds(3_600)))

        @Test("gzip is asked for, and fields are sent in order, repeated ones too")
        func fields() async throws {
            let server = try LoopbackServer { _ in .ok([1]) }
            var request = TransportRequest(url: server.url())
            request.headers.append(HTTPField(name: .accept, value: "image/avif"))
            request.headers.append(HTTPField(name: .accept, value: "image/webp"))
            _ = try await transport.send(request)
            #expect(server.log.map { $0.headers["accept"] } == ["image/avif, image/webp"])
            #expect(server.log.map { $0.headers["accept-encoding"] } == ["gzip"])
        }

        @Test("a validator or a location whose bytes SwiftNIO has replaced is left out, other fields stay")
        func damaged() async throws {
            let server = try LoopbackServer { _ in
                .steps([
                    .text("HTTP/1.1 302 To\r\nContent-Length: 0\r\nServer: a"), .bytes([0xE9]),
                    .text("\r\nETag: \"a"), .bytes([0xE9]), .text("\"\r\nLocation: /a"), .bytes([0xE9]),
                    .text("\r\n\r\n"),
                ])
            }
            let head = try await transport.send(TransportRequest(url: server.url())).head
            #expect(head.status.code == 302)
            #expect(head.headers[.eTag] == nil)
            #expect(head.headers[.location] == nil)
            #expect(head.headers[.server] == "a\u{FFFD}")
        }

        @Test("a body that is announced as too large is refused with its head, and one of the exact limit is not")
        func announced() async throws {
            let server = try LoopbackServer { _ in
                .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .awaitDisconnect])
            }
            let exact = TransportRequest(url: server.url(), bodyByteLimit: 9)
            #expect(try await transport.send(exact).head.expectedByteCount == 9)
            let smaller = TransportRequest(url: server.url(), bodyByteLimit: 8)
            await #expect(throws: TransportError.tooLarge(byteLimit: 8)) { try await transport.send(smaller) }
        }

        @Test("a body of several megabytes arrives: only what belongs to no body is limited")
        func large() async throws {
            let server = try LoopbackServer { _ in .ok([UInt8](repeating: 7, count: 5 << 20)) }
            let body = try await transport.send(TransportRequest(url: server.url())).body
            #expect(try await body.collected(expectedByteCount: nil, byteLimit: .max).count == 5 << 20)
        }

        @Test("a transfer that stalls has timed out waiting for its head or its body, and not for the connection")
        func stalls() async throws {
            let server = try LoopbackServer { request in
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
                return .steps((request.path == "/body" ? [.text(head + "1234")] : []) + [.awaitDisconnect])
            }
            for (path, phase) in [("/head", TransportError.Phase.head), ("/body", .body)] {
                // The limit of the connection is not that of its transfer.
                let request = TransportRequest(
                    url: server.url(path), connectTimeout: .seconds(600), stallTimeout: .milliseconds(200),
                    totalTimeout: .seconds(60))
                await #expect(throws: TransportError.timedOut(phase)) {
                    let body = try await transport.send(request).body
                    _ = try await body.collected(expectedByteCount: nil, byteLimit: .max)
                }
            }
        }
    }
#endif
