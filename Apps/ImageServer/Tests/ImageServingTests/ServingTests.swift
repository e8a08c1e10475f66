import Foundation
import HTTPTypes
import ImageCodecJPEG
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageServerKit
import ImageServing
import Logging
import LoopbackServer
import NIOCore
import NIOPosix
import Testing

@Suite("Serving images over HTTP", .timeLimit(.minutes(10)))
struct ServingTests {
    private func field(_ name: String, _ headers: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }

    @Test("an image is loaded, rendered, and then served from memory")
    func image() async throws {
        let origin = try Samples.origin(headers: ["Cache-Control": "max-age=600"])
        try await withServer(origin: origin) { server async throws in
            let path = imagePath("rs:fit:16:16/f:png", origin.url("/a.jpg"))
            let first = try await server.send(path)
            #expect(first.status == 200)
            #expect(first.headers[.contentType] == "image/png")
            #expect(field("X-Cache", first.headers) == "origin")
            #expect(field("X-Result-Size", first.headers) == "16x8")
            #expect(first.headers[.cacheControl]?.hasPrefix("public, max-age=") == true)
            let second = try await server.send(path)
            #expect(field("X-Cache", second.headers) == "memory")
            #expect(second.body == first.body)
            #expect(origin.requestCount == 1)
            #expect(origin.log.first?.headers["user-agent"] == "image-server")
        }
    }

    @Test("HEAD, conditions and ranges have the right framing on one connection")
    func framing() async throws {
        let origin = try Samples.origin()
        try await withServer(origin: origin) { server async throws in
            let path = imagePath("w:16/f:png", origin.url("/a.jpg"))
            let full = try await server.send(path)
            let head = try await server.send(path, .head)
            #expect(head.body.isEmpty && head.headers[.contentLength] == "\(full.body.count)")
            let tag = try #require(full.headers[.eTag])
            let same = try await server.send(path, .get, [.ifNoneMatch: tag])
            #expect(same.status == 304 && same.body.isEmpty)
            let part = try await server.send(path, .get, [.range: "bytes=-4"])
            #expect(part.status == 206 && part.body == full.body.suffix(4))
            #expect(try await server.send(path).body == full.body)
            #expect(try await server.send(path, .post).status == 405)
        }
    }

    @Test("pipelined requests are answered in their order, also if a later result is in memory")
    func pipelining() async throws {
        let held = LoopbackSignal()
        let origin = try Samples.origin(holdingAt: held, free: "/a.jpg")
        try await withServer(origin: origin) { server async throws in
            let cached = imagePath("w:16/f:png", origin.url("/a.jpg"))
            #expect(try await server.status(cached) == 200)
            let slow = imagePath("w:16/f:jpg", origin.url("/slow.jpg"))
            let answers = Task {
                let requests = [cached, slow, cached].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
                let last = "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                return try await exchange(server.port, requests + [last])
            }
            await held.arrivals(1)
            held.open()
            let text = try await answers.value
            let types = text.split(separator: "\r\n").filter { $0.hasPrefix("Content-Type: ") }
            #expect(types.prefix(3).map { $0.suffix(4) } == ["/png", "jpeg", "/png"])
        }
    }

    @Test("a client that closes its direction after the request receives all of a large result in memory")
    func halfClosed() async throws {
        let origin = try Samples.origin(Samples.png(2_000, 1_500))
        try await withServer(origin: origin) { server async throws in
            let path = imagePath("f:png/skp:png", origin.url("/a.png"))
            let size = try await server.send(path).body.count
            let text = try await exchange(
                server.port, ["GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"], closesDirection: true)
            let head = try #require(text.firstRange(of: "\r\n\r\n"))
            #expect(text.utf8.distance(from: head.upperBound, to: text.endIndex) == size)
        }
    }

    /// Sends requests at once, and returns what the server sends until it closes: a character for each byte.
    private func exchange(_ port: Int, _ requests: [String], closesDirection: Bool = false) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: requests.joined()))
            if closesDirection { outbound.finish() }
            var text = ""
            for try await piece in inbound {
                text.unicodeScalars.append(contentsOf: piece.readableBytesView.map { UnicodeScalar($0 & 127) })
            }
            return text
        }
    }

    @Test("a large result arrives complete")
    func largeResult() async throws {
        let origin = try Samples.origin(Samples.png(700, 500))
        try await withServer(origin: origin) { server async throws in
            let result = try await server.send(imagePath("f:png/skp:png", origin.url("/a.png")))
            #expect(try result.body == Samples.png(700, 500))
        }
    }

    @Test("results and originals survive a restart on disk")
    func restart() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "image-server-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let origin = try Samples.origin(headers: ["Cache-Control": "max-age=600"])
        let settings = ["--cache-directory", folder.path]
        let path = imagePath("w:16/f:png", origin.url("/a.jpg"))
        let other = imagePath("w:8/f:png", origin.url("/a.jpg"))
        try await withServer(settings, origin: origin) { server async throws in
            let status = try await server.status(path)
            #expect(status == 200)
        }
        try await withServer(settings, origin: origin) { server async throws in
            let (stored, rendered) = (try await server.send(path), try await server.send(other))
            #expect(field("X-Cache", stored.headers) == "disk")
            #expect(field("X-Cache", rendered.headers) == "origin")
        }
        #expect(origin.requestCount == 1)
    }

    @Test("a server that starts serves nothing that was purged before")
    func purgedBefore() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "image-server-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let origin = try Samples.origin(headers: ["Cache-Control": "max-age=600"])
        let settings = ["--cache-directory", folder.path, "--purge-secret", "s"]
        let source = origin.url("/a.jpg")
        let path = imagePath("w:16/f:png", source)
        try await withServer(settings, origin: origin) { server async throws in
            #expect(try await server.status(path) == 200)
        }
        try await withServer(settings, origin: origin) { server async throws in
            let purge = try await server.send("/purge/plain/\(source)", .delete, [.authorization: "Bearer s"])
            #expect(purge.status == 204)
        }
        try await withServer(settings, origin: origin) { server async throws in
            let answer = try await server.send(path)
            #expect(field("X-Cache", answer.headers) == "origin")
        }
    }

    @Test("two hundred requests for a cold image make one request to the origin")
    func coalescing() async throws {
        let held = LoopbackSignal()
        let origin = try Samples.origin(holdingAt: held)
        try await withServer(origin: origin) { server async throws in
            let path = imagePath("w:16/f:png", origin.url("/a.jpg"))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<200 { group.addTask { try await server.status(path) } }
                await held.arrivals(1)
                held.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 200))
            #expect(origin.requestCount == 1)
        }
    }

    @Test("the trace of a request continues at the origin if there is a collector", arguments: [true, false])
    func tracing(isCollected: Bool) async throws {
        let source = try Samples.jpeg()
        let origin = try LoopbackServer { request in
            request.path == "/a.jpg" ? .redirect(to: "/b.jpg") : .ok(source)
        }
        let collector = try LoopbackServer { _ in .ok("{}".utf8) }
        let settings = isCollected ? ["--otlp-endpoint", collector.url("").absoluteString] : []
        try await withServer(settings, origin: origin) { server async throws in
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            let result = try await server.send(
                imagePath("w:4", origin.url("/a.jpg")), .get,
                [.traceparent: "00-\(trace)-00f067aa0ba902b7-01", .tracestate: "a=b"])
            #expect(result.status == 200)
            let parents = origin.log.compactMap { $0.headers["traceparent"] }
            guard isCollected else {
                #expect(origin.log.allSatisfy { $0.headers["traceparent"] == nil && $0.headers["tracestate"] == nil })
                return
            }
            #expect(parents.count == 2 && parents.allSatisfy { $0.hasPrefix("00-\(trace)-") && $0.hasSuffix("-01") })
            #expect(Set(parents).count == 1 && !parents[0].contains("00f067aa0ba902b7"))
            #expect(origin.log.allSatisfy { $0.headers["tracestate"] == "a=b" })
        }
    }

    @Test("operators and people have their pages")
    func pages() async throws {
        try await withServer { server async throws in
            #expect(try await server.status("/health/live") == 200)
            #expect(try await server.status("/health/ready") == 200)
            let metrics = try await server.send("/metrics")
            #expect(String(decoding: metrics.body, as: UTF8.self).contains("# TYPE image_results_total counter"))
            let page = try await server.send("/")
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(String(decoding: page.body, as: UTF8.self).contains("<form id=\"form\">"))
            #expect(page.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
        }
    }

    @Test("a loader that shows previews gets a file whose first part shows the whole image", arguments: [true, false])
    func progressive(showsPreviews: Bool) async throws {
        let origin = try Samples.origin(try Samples.jpeg(640, 480))
        try await withServer(["--auto-progressive", "true"], origin: origin) { server async throws in
            let path = imagePath("f:jpg", origin.url("/a.jpg"))
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
            var request = ImageRequest(url: url)
            request.isProgressive = showsPreviews
            let data = try await ImageLoader(cacheDirectory: nil).data(for: request).data
            let image = JPEGDecoder().makeIncrementalImage(limits: .default)
            try image.append(data.prefix(data.count / 3))
            try image.start(size: PixelSize(width: 640, height: 480), layout: .rgba8)
            #expect((image.extent.rows == 480) == showsPreviews)
        }
    }
}
