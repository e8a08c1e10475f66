import Foundation
import HTTPTypes
import ImageServerKit
import Logging
import LoopbackServer
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import ImageServing

@Suite("Requests as clients write them", .timeLimit(.minutes(10)))
struct RequestRulesTests {
    /// Sends bytes on a connection of its own, and returns the status codes of as many responses.
    private func statuses(_ request: String, responses count: Int = 1, port: Int) async throws -> [String] {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var received = ""
            var codes: [String] = []
            for try await piece in inbound {
                received += String(decoding: piece.readableBytesView, as: UTF8.self)
                codes = received.split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) }
                if codes.count == count, received.hasSuffix("\r\n\r\n") { break }
            }
            return codes
        }
    }

    @Test(
        "a request needs one valid Host (RFC 9112, 3.2), and no empty Transfer-Encoding",
        arguments: [
            ("HTTP/1.1\r\nHost: a", "204"), ("HTTP/1.1\r\nHost: a.b:8080", "204"),
            ("HTTP/1.1\r\nHost: [::1]:80", "204"),
            ("HTTP/1.1\r\nHost:", "400"), ("HTTP/1.1\r\nHost: :80", "400"), ("HTTP/1.0", "204"),
            ("HTTP/1.0\r\nHost: a", "204"), ("HTTP/1.1", "400"),
            ("HTTP/1.1\r\nHost: a\r\nHost: a", "400"), ("HTTP/1.1\r\nhost: a\r\nHOST: b", "400"),
            ("HTTP/1.0\r\nHost: a\r\nHost: a", "400"), ("HTTP/1.1\r\nHost: a, b", "400"),
            ("HTTP/1.1\r\nHost: a b", "400"),
            ("HTTP/1.1\r\nHost: a/b", "400"), ("HTTP/1.1\r\nHost: u@a", "400"), ("HTTP/1.1\r\nHost: a:b", "400"),
            ("HTTP/1.1\r\nHost: [::1", "400"), ("HTTP/1.1\r\nHost: [::1]x", "400"),
            ("HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:", "400"),
        ])
    func hosts(head: String, status: String) async throws {
        try await withServer { server async throws in
            let codes = try await statuses("HEAD /favicon.ico \(head)\r\n\r\n", port: server.port)
            #expect(codes == [status], "\(head)")
        }
    }

    @Test("with an idle time of 0, each connection is for one request, in memory or not")
    func closing() async throws {
        try await withServer(["--idle-seconds", "0"]) { server async throws in
            let request = "GET /favicon.ico HTTP/1.1\r\nHost: a\r\n\r\n"
            // Two would be answered if the connection stayed open.
            #expect(try await statuses(request + request, responses: 2, port: server.port) == ["204"])
            #expect(try await server.status("/_/plain/http://10.0.0.1/") == 502)
        }
    }

    @Test(
        "the connection ends after a request that doesn't keep it (RFC 9112, 9.3), or that may have a body",
        arguments: [
            ("HTTP/1.0", 1), ("HTTP/1.0\r\nConnection: keep-alive", 2), ("HTTP/1.1\r\nHost: a\r\nConnection: Close", 1),
            ("HTTP/1.1\r\nHost: a\r\nConnection: te, close", 1), ("HTTP/1.1\r\nHost: a", 2),
            ("HTTP/1.1\r\nHost: a\r\nContent-Length: 0", 1),
        ])
    func persistence(head: String, count: Int) async throws {
        try await withServer { server async throws in
            let request = "HEAD /favicon.ico \(head)\r\n\r\n"
            let codes = try await statuses(request + request, responses: 2, port: server.port)
            #expect(codes == Array(repeating: "204", count: count), "\(head)")
        }
    }

    @Test(
        "a client that waits to send a body is told to continue or has a response (RFC 9110, 10.1.1)",
        arguments: [
            ("HEAD PATH HTTP/1.1", ["100", "200"]), ("HEAD PATH HTTP/1.0", ["200"]),
            ("POST PATH HTTP/1.1", ["405"]), ("HEAD /health HTTP/1.1", ["200"]),
            ("HEAD OTHER HTTP/1.1\r\nHost: a\r\n\r\nHEAD PATH HTTP/1.1", ["200", "100", "200"]),
        ])
    func expectations(line: String, codes: [String]) async throws {
        let origin = try Samples.origin()
        try await withServer(origin: origin) { server async throws in
            let fields = "Host: a\r\nContent-Length: 1\r\nExpect: 100-continue"
            let request = "\(line)\r\n\(fields)\r\n\r\n"
                .replacing("PATH", with: imagePath("w:4", origin.url("/a.jpg")))
                .replacing("OTHER", with: imagePath("w:5", origin.url("/a.jpg")))
            #expect(try await statuses(request, responses: codes.count, port: server.port) == codes)
        }
    }

    @Test("the bytes of a body don't keep a connection open")
    func slowBodies() async throws {
        let settings = try await ServerSettings(
            arguments: ["--allow-unsigned", "true"], environment: [:], coreCount: 1)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let handler = try ServerComposition(settings, logger: logger).handler
        let channel = EmbeddedChannel(handler: ImmediateResponseHandler(handler, idleTime: .seconds(10)))
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: ["Content-Length": "100"])
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        channel.write(HTTPServerResponsePart.end(nil), promise: nil)
        for second in 1...10 {
            #expect(channel.isActive, "after \(second - 1) seconds")
            try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "x")))
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        }
        #expect(!channel.isActive)
    }

    @Test("a few empty lines before a request are ignored, and many end the connection (RFC 9112, 2.2)")
    func emptyLines() async throws {
        try await withServer { server async throws in
            let request = "HEAD /favicon.ico HTTP/1.1\r\nHost: a\r\n\r\n"
            for line in ["\r\n", "\n"] {
                let few = String(repeating: line, count: 32)
                #expect(
                    try await statuses(few + request + few + request, responses: 2, port: server.port) == [
                        "204", "204",
                    ])
                let many = try? await statuses(String(repeating: line, count: 65) + request, port: server.port)
                #expect(many ?? [] == [])
            }
        }
    }

    @Test("an operator's Server field replaces that of the server")
    func serverName() async throws {
        try await withServer(["--response-headers", "Server: x"]) { server async throws in
            #expect(try await server.send("/health").headers[values: .server] == ["x"])
            // Hummingbird answers this one.
            #expect(try await server.send("/info/_/plain/http://10.0.0.1/").headers[values: .server] == ["x"])
        }
    }

    @Test("a request that is no HTTP has a line in the log")
    func malformed() async throws {
        let lines = Mutex(Data())
        let output = LogOutput(now: { Date(timeIntervalSince1970: 0) }) { data in lines.withLock { $0 += data } }
        var logger = Logger(label: "test") { LineLogHandler(label: $0, format: .text, output: output) }
        logger.logLevel = .info
        try await withServer(logger: logger) { server async throws in
            #expect(try await statuses("GET x HTTP/9.9\r\n\r\n", port: server.port) == ["400"])
        }
        output.flush()
        let text = lines.withLock { String(decoding: $0, as: UTF8.self) }
        #expect(text.contains("status=400") && text.contains("reason=request") && text.contains("client=127.0.0.1"))
    }

    @Test("bytes of a path that aren't ASCII reach the origin as escapes")
    func rawPaths() async throws {
        let source = try Samples.jpeg()
        let origin = try LoopbackServer { request in
            request.path == "/r" ? .redirect(to: "/ü%20[1].jpg") : .ok(source)
        }
        try await withServer(origin: origin) { server async throws in
            let base = "/_/w:1/plain/http://127.0.0.1:\(origin.port)"
            let paths = ["/ü.jpg", "/ü%2520[1].jpg", "/a%20[b].jpg", "/%C3%BC{}.jpg", "/r"]
            let requests = paths.map { "HEAD \(base)\($0) HTTP/1.1\r\nHost: a\r\nX-Name: ü\r\n\r\n" }.joined()
            let codes = try await statuses(requests, responses: paths.count, port: server.port)
            #expect(codes == Array(repeating: "200", count: paths.count))
        }
        #expect(
            origin.log.map(\.path) == [
                "/%C3%BC.jpg", "/%C3%BC%20%5B1%5D.jpg", "/a%20%5Bb%5D.jpg", "/%C3%BC%7B%7D.jpg", "/r",
                "/%C3%BC%20%5B1%5D.jpg",
            ])
    }

    @Test(
        "only bytes that aren't ASCII are changed, and nothing after a request that may have a body", arguments: 1...30)
    func framing(pieceBytes: Int) throws {
        let channel = EmbeddedChannel(handler: RawTargetHandler())
        let first = "\r\nGET /ü HTTP/1.1\r\nUpgrade-Insecure-Requests: 1\r\nHost: ü\r\n\r\n"
        let plain = first + "GET /é?é HTTP/1.1\nA: é\n\n"
        let body = "POST /ö HTTP/1.1\r\nCONTENT-length: 20\r\n\r\nGET /ü HTTP/1.1\r\n\r\nGET /ü HTTP/1.1\r\n\r\n"
        let bytes = Array((plain + body).utf8)
        var received = ""
        var all: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            try channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(start + pieceBytes, bytes.count)]))
            while let piece = try channel.readInbound(as: ByteBuffer.self) { all += piece.readableBytesView }
        }
        received = String(decoding: all, as: UTF8.self)
        let expected = plain.replacing("/ü", with: "/%C3%BC").replacing("/é?é", with: "/%C3%A9?%C3%A9")
            .replacing(": ü", with: ": \u{C3}\u{BC}").replacing(": é", with: ": \u{C3}\u{A9}")
        #expect(received == expected + body.replacing("/ö", with: "/%C3%B6"))
    }
}
