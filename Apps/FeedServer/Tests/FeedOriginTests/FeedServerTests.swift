import Dispatch
import Foundation
import ImageCore
import Testing

@testable import FeedOrigin

@Suite("Feed server over a raw socket")
struct FeedServerTests {
    private static let image = "/images/3.png?w=12&h=8"
    private static let imageLength = "png 12x8 ".utf8.count + 12 * 8 * 4

    /// Limits that a client on a busy machine does not exceed.
    private static var unhurriedLimits: ConnectionLimits {
        var limits = ConnectionLimits()
        (limits.receive, limits.send) = (.seconds(600), .seconds(600))
        return limits
    }

    /// Runs `body` with a server. Returns the statistics after all connections have ended.
    @discardableResult
    private func withServer(
        _ defaults: NetworkDefaults = NetworkDefaults(), limits: ConnectionLimits = Self.unhurriedLimits,
        clock: any ServerClock = RecordingClock(),
        limit: Int = 512, _ body: (UInt16, Statistics) throws -> Void
    ) throws -> Statistics.Counts {
        let renderer = ImageRenderer(encoders: [
            PlainEncoder(format: .png), PlainEncoder(format: .gif), PlainEncoder(format: .webp),
        ])
        let store = ImageStore(byteLimit: 1 << 20, concurrency: 2) { recipe throws(EncodingFailure) in
            try renderer.render(recipe)
        }
        let site = Site(feed: PhotoFeed(count: 25), store: store)
        var configuration = FeedServer.Configuration()
        configuration.defaults = defaults
        configuration.limits = limits
        configuration.connectionLimit = limit
        let server = try FeedServer(configuration, site: site, clock: clock)
        do { try body(server.port, site.statistics) } catch {
            server.stop()
            throw error
        }
        server.stop()
        return site.statistics.snapshot
    }

    @Test("a page of the feed is JSON whose URLs have the host of the request")
    func feed() throws {
        try withServer { port, _ in
            let client = try RawClient(port: port)
            client.get("/photos?_page=2&_limit=3")
            let (status, _, body) = client.response()
            let photos = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [[String: Any]])
            #expect(status == 200)
            #expect(photos.map { $0["id"] as? Int } == [4, 5, 6])
            #expect((photos.first?["url"] as? String)?.hasPrefix("http://h:1/images/4.png?") == true)
            client.get("/photos")
            #expect(try (JSONSerialization.jsonObject(with: Data(client.response().body)) as? [Any])?.count == 10)
            client.get("/photos?_page=99")
            #expect(client.response().body == Array("[]".utf8))
            client.get("/photos?_page=zero")
            let refused = client.response()
            #expect(refused.status == 400)
            #expect(try (JSONSerialization.jsonObject(with: Data(refused.body)) as? [String: String])?["error"] != nil)
        }
    }

    @Test("a page can be stored and must be revalidated: its tag returns 304 unless the page differs")
    func pageConditions() throws {
        try withServer { port, _ in
            let client = try RawClient(port: port)
            client.get("/photos?_page=1")
            let head = client.response().head
            #expect(head.contains("cache-control: public, max-age=0\r\n"))
            let tag = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("etag: ") }?.dropFirst(6))
            client.get("/photos?_page=1", "If-None-Match: \(tag)")
            #expect(client.response().status == 304)
            client.get("/photos?_page=2", "If-None-Match: \(tag)")
            #expect(client.response().status == 200)
        }
    }

    @Test("an image has validators, and conditional and range requests return 304, 206 and 416")
    func conditions() throws {
        try withServer { port, _ in
            let client = try RawClient(port: port)
            client.get(Self.image)
            let whole = client.response()
            #expect(whole.status == 200)
            #expect(whole.body.count == Self.imageLength)
            #expect(
                whole.head.contains("content-type: image/png\r\n")
                    && whole.head.contains("cache-control: public, max-age=3600\r\n"))
            #expect(
                whole.head.contains("last-modified: mon, 01 jan 2024 18:00:00 gmt\r\n")
                    && whole.head.contains("date: thu, 01 jan 1970"))
            let tag = try #require(whole.head.split(separator: "\r\n").first { $0.hasPrefix("etag: ") }?.dropFirst(6))
            client.get(Self.image, "If-None-Match: \(tag)")
            #expect(client.response().status == 304)
            client.get(Self.image, "Range: bytes=9-12", "If-Range: \(tag)")
            let part = client.response()
            #expect(part.status == 206)
            #expect(part.body == Array(whole.body[9...12]))
            #expect(part.head.contains("content-range: bytes 9-12/\(Self.imageLength)\r\n"))
            client.get(Self.image, "Range: bytes=100000-")
            let unsatisfiable = client.response()
            #expect(unsatisfiable.status == 416)
            #expect(unsatisfiable.head.contains("content-range: bytes */\(Self.imageLength)\r\n"))
        }
    }

    @Test("HEAD, unknown paths, other methods and unsupported options return the matching status")
    func answers() throws {
        try withServer { port, _ in
            let client = try RawClient(port: port)
            client.get(Self.image, method: "HEAD")
            let head = client.response(hasBody: false)
            #expect(head.status == 200 && head.head.contains("content-length: \(Self.imageLength)\r\n"))
            for (method, target, status) in [
                ("GET", "/nowhere", 404), ("GET", "/images/1.bmp", 404), ("DELETE", "/photos", 405),
                ("GET", "/stats/reset", 405),
                ("GET", "/images/1.png?w=0", 400), ("GET", "/images/1.webp?animated=1&w=4&h=4", 400),
                ("GET", "/images/1.jpg", 500),
                ("GET", "/images/1.gif?animated=1&frames=3&w=4&h=4", 200), ("GET", "/", 200),
            ] {
                client.get(target, method: method)
                #expect(client.response().status == status, "\(method) \(target)")
            }
        }
    }

    @Test("pipelined requests are answered in order, and Connection: close closes the connection")
    func pipelining() throws {
        try withServer { port, _ in
            let client = try RawClient(port: port)
            client.send(
                "GET /photos?_limit=1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /stats/reset HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxx"
                    + "GET \(Self.image) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /photos HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            #expect(client.response().status == 200)
            #expect(client.response().status == 204)
            #expect(client.response().body.count == Self.imageLength)
            let end = client.rest()
            #expect(end.bytes.isEmpty && end.isOrderly)
        }
    }

    @Test(
        "faults change the bytes and the end of the connection",
        arguments: [
            ("reset", 0, false), ("truncate", imageLength / 2, true), ("drop-after=20", 20, false),
            ("stall", imageLength / 2, true),
            ("wrong-length", imageLength, true),
        ])
    func faults(fault: String, bodyLength: Int, isOrderly: Bool) throws {
        let clock = RecordingClock()
        try withServer(clock: clock) { port, _ in
            let client = try RawClient(port: port)
            client.get(Self.image + "&fault=" + fault)
            let (bytes, isClosedOrderly) = client.rest()
            let end = bytes.indices.dropFirst(3).first { bytes[($0 - 3)...$0].elementsEqual([13, 10, 13, 10]) }
            #expect(bytes.count - (end.map { $0 + 1 } ?? 0) == bodyLength)
            #expect(isClosedOrderly == isOrderly)
        }
        #expect(clock.all == (fault == "stall" ? [.seconds(300)] : []))
    }

    @Test("latency delays the head, and bandwidth is limited in steps of a twentieth of a second")
    func slowness() throws {
        let clock = RecordingClock()
        try withServer(NetworkDefaults(latency: .milliseconds(5)), clock: clock) { port, _ in
            let client = try RawClient(port: port)
            client.get("/photos?_page=99")
            _ = client.response()
            client.get(Self.image + "&latency=200&bandwidth=2000")
            #expect(client.response().body.count == Self.imageLength)
            client.get("/stats")
            _ = client.response()
        }
        let waits = clock.all
        #expect(waits.prefix(2) == [.milliseconds(5), .milliseconds(200)])
        #expect(waits.dropFirst(2).filter { $0 == .milliseconds(50) }.count >= Self.imageLength / 100)
        #expect(waits.dropFirst(2).allSatisfy { $0 <= .milliseconds(50) })
    }

    @Test("statistics count requests, bytes and paths except their own, and can be reset")
    func statistics() throws {
        try withServer { port, statistics in
            let client = try RawClient(port: port)
            for _ in 0..<2 {
                client.get(Self.image)
                _ = client.response()
            }
            client.get("/photos?status=503&times=1")
            #expect(client.response().status == 503)
            client.get("/photos?status=503&times=1")
            #expect(client.response().status == 200)
            client.get("/stats")
            let object = try JSONSerialization.jsonObject(with: Data(client.response().body)) as? [String: Any]
            #expect(object?["requests"] as? Int == 4)
            #expect(object?["bytes"] as? Int ?? 0 > 2 * Self.imageLength)
            #expect(object?["paths"] as? [String: Int] == ["/photos": 2, "/images/3.png": 2])
            #expect(object?["statuses"] as? [String: Int] == ["200": 3, "503": 1])
            #expect((object?["connections"] as? [String: Int])?["open"] == 1)
            client.get("/stats/reset", method: "POST")
            #expect(client.response().status == 204)
            #expect(statistics.snapshot.requests == 0 && statistics.snapshot.open == 1)
        }
    }

    @Test("200 concurrent connections are served")
    func many() throws {
        try withServer { port, statistics in
            let clients = try (0..<200).map { _ in try RawClient(port: port) }
            for client in clients { client.get(Self.image) }
            for client in clients { #expect(client.response().body.count == Self.imageLength) }
            #expect(statistics.snapshot.open == 200)
        }
    }

    @Test("clients above the connection limit wait until another client disconnects")
    func waiting() throws {
        try withServer(limit: 1) { port, statistics in
            let first = try RawClient(port: port)
            let second = try RawClient(port: port)
            second.get("/photos")
            first.get("/photos")
            #expect(first.response().status == 200)
            #expect(statistics.snapshot.connections == 1)
            first.close()
            #expect(second.response().status == 200)
        }
    }

    @Test(
        "invalid bytes return 400 and close the connection",
        arguments: ["\u{16}\u{3}\u{1}\u{2}\r\n\r\n", "hello\n\n", "GET / HTTP/1.1\r\n\r\n"])
    func nonsense(text: String) throws {
        try withServer { port, _ in
            let client = try RawClient(port: port)
            client.send(text)
            let (bytes, isOrderly) = client.rest()
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
            #expect(isOrderly)
        }
    }

    @Test("a client that sends its request in too many chunks receives 408")
    func drip() throws {
        var limits = ConnectionLimits()
        limits.receivesPerHead = 1
        try withServer(limits: limits) { port, _ in
            let client = try RawClient(port: port)
            client.send("GET / HT")
            #expect(String(decoding: client.rest().bytes, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("a client that disconnects before its response is counted as abandoned")
    func abandoned() throws {
        let clock = ObservedClock()
        let counts = try withServer(clock: clock) { port, _ in
            let client = try RawClient(port: port)
            client.get(Self.image + "&latency=20000")
            clock.begun.wait()
            client.close()
            clock.ended.wait()
        }
        #expect(clock.all == [false])
        #expect(counts.abandoned == 1)
        #expect(counts.bytes == 0)
    }

    @Test("stopping the server closes connections that wait")
    func stop() throws {
        var client: RawClient?
        try withServer(clock: SystemClock()) { port, _ in
            client = try RawClient(port: port)
            client?.get("/photos")
            #expect(client?.response().status == 200)
            client?.get(Self.image + "&latency=20000")
        }
        #expect(client?.rest().bytes.isEmpty == true)
    }
}
