import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import Logging
import Synchronization
import Testing

@testable import ImageServerKit

@Suite struct AccessLogTests {
    /// Receives the lines of a log.
    private final class Lines: Sendable {
        private let bytes = Mutex(Data())
        private let output = Mutex<LogOutput?>(nil)

        func logger(_ format: LineLogHandler.Format = .json, level: Logger.Level = .info) -> Logger {
            let output = LogOutput(now: { Date(timeIntervalSince1970: 1_700_000_000.25) }) { [self] data in
                bytes.withLock { $0 += data }
            }
            self.output.withLock { $0 = output }
            var logger = Logger(label: "test") { LineLogHandler(label: $0, format: format, output: output) }
            logger.logLevel = level
            return logger
        }

        var all: [String] {
            output.withLock { $0 }?.flush()
            return bytes.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").map(String.init)
        }

        func objects() throws -> [[String: Any]] {
            try all.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
        }
    }

    private func handler(
        _ lines: Lines, _ logger: Logger? = nil, settings: AccessLog.Settings = AccessLog.Settings()
    ) throws -> RequestHandler {
        try ServiceFixture.withImage().makeHandler(logger: logger ?? lines.logger(), access: settings)
    }

    @Test("writes one line for each request: results, memory hits, refusals and unknown paths")
    func everyRequest() async throws {
        let lines = Lines()
        let handler = try handler(lines)
        let path = ServiceFixture.path("w:10/f:png")
        for path in [path, path, "/nope", "/_/w:1/plain/http://10.0.0.1:22/", "/_/nope:1/plain/http://a/b"] {
            _ = await handler.answer(path)
        }
        _ = await handler.answer(path, .post)
        let objects = try lines.objects()
        try #require(objects.count == 6)
        #expect(objects.map { $0["status"] as? Int } == [200, 200, 404, 403, 404, 405])
        #expect(objects.prefix(2).map { $0["cache"] as? String } == ["origin", "memory"])
        #expect(objects.map { $0["reason"] as? String } == [nil, nil, "url", "source_not_allowed", "url", "request"])
        #expect(objects[4]["error"] as? String == "unknown option: nope")
        #expect(objects[5]["error"] as? String == "only GET, HEAD, DELETE are supported")
        #expect(objects.allSatisfy { $0["level"] as? String == "info" && $0["ms"] is Double })
        #expect(objects[0]["bytes"] as? Int ?? 0 > 50)
        #expect(objects[0]["time"] as? String == "2023-11-14T22:13:20.250Z")
        #expect(objects[5]["method"] as? String == "POST")
    }

    @Test("tells how many frames of which source the limits left out")
    func leftOutFrames() async throws {
        let (fixture, lines) = (ServiceFixture(), Lines())
        fixture.script(.data(try SampleImages.gif(frames: 3)))
        var parts = fixture.makeService().parts
        parts.renderer.limits.frames = 2
        parts.logger = lines.logger()
        let response = await fixture.makeHandler(ImageService(parts)).answer(ServiceFixture.path("f:gif"))
        #expect(response["X-Left-Out-Frames"] == "1")
        let line = try #require(try lines.objects().first)
        #expect(line["message"] as? String == "frames left out" && line["frames"] as? String == "1")
        #expect(line["source"] as? String == ServiceFixture.source)
    }

    @Test("times are in milliseconds")
    func time() async throws {
        let (fixture, lines, hold) = (ServiceFixture(), Lines(), TestGate())
        fixture.script(.held(hold, .data(try SampleImages.jpeg())))
        let handler = fixture.makeHandler(logger: lines.logger())
        let response = Task { await handler.answer(ServiceFixture.path("f:png")) }
        await fixture.loader.waitForMessages(1)
        fixture.clock.advance(by: .microseconds(1_234_567))
        hold.open()
        #expect(await response.value["Server-Timing"]?.contains("source;dur=1234.57,") == true)
        #expect(try lines.objects().map { $0["ms"] as? Double } == [1_234.567])
    }

    @Test("gives every response a request id, which is that of the line")
    func requestIDs() async throws {
        let lines = Lines()
        let handler = try handler(lines)
        let path = ServiceFixture.path("w:10/f:png")
        var ids: [String?] = []
        for path in [path, path, "/nope", "/health", "/_/w:1/plain/http://10.0.0.1:22/"] {
            ids.append(await handler.answer(path)["X-Request-Id"])
        }
        ids.append(await handler.answer(path, .head)["X-Request-Id"])
        #expect(ids.allSatisfy { $0?.count == 16 } && Set(ids).count == ids.count)
        ids.remove(at: 3)
        #expect(try lines.objects().map { $0["request"] as? String } == ids)
        let long = String(repeating: "a", count: 64)
        for (id, isKept) in [("a-B_9", true), (long, true), (long + "a", false), ("a b", false), ("ä", false)] {
            #expect((await handler.answer(path, .get, [.requestID: id])["X-Request-Id"] == id) == isKept, "\(id)")
        }
    }

    @Test("writes failures of the server as warnings, with the reason that the client isn't told")
    func failures() async throws {
        let lines = Lines()
        let fixture = ServiceFixture()
        fixture.script(.failure(.network(.timedOut, "http://u:p@h/a?token=secret timed out")))
        let handler = fixture.makeHandler(logger: lines.logger())
        _ = await handler.answer(ServiceFixture.path("w:1"))
        let object = try #require(try lines.objects().first)
        #expect(object["level"] as? String == "warning" && object["status"] as? Int == 504)
        #expect(object["reason"] as? String == "source_timeout")
        #expect((object["error"] as? String)?.hasSuffix("http://h/a timed out") == true)
    }

    @Test("can be switched off")
    func off() async throws {
        let lines = Lines()
        _ = try await handler(lines, settings: .init(isEnabled: false)).answer("/nope")
        let quiet = Lines()
        _ = try await handler(quiet, quiet.logger(level: .notice)).answer("/nope")
        #expect(lines.all.isEmpty && quiet.all.isEmpty)
    }

    @Test("writes health checks at the level debug only")
    func health() async throws {
        let (info, debug) = (Lines(), Lines())
        for path in ["/health", "/health/ready", "/metrics"] {
            _ = try await handler(info).answer(path)
        }
        _ = try await handler(debug, debug.logger(level: .debug)).answer("/health")
        #expect(info.all.isEmpty && debug.all.count == 1)
    }

    @Test(
        "writes the client's address, and that of X-Forwarded-For only behind trusted proxies",
        arguments: [
            (0, "9.9.9.9", "1.1.1.1"), (1, "9.9.9.9", "9.9.9.9"), (1, "6.6.6.6, 9.9.9.9", "9.9.9.9"),
            (2, "6.6.6.6, 9.9.9.9, 8.8.8.8", "9.9.9.9"), (3, "9.9.9.9", "9.9.9.9"), (1, "", "1.1.1.1"),
            (1, " , ", "1.1.1.1"), (1, nil, "1.1.1.1"),
        ] as [(Int, String?, String)])
    func clients(proxies: Int, field: String?, expected: String) async throws {
        let lines = Lines()
        let handler = try handler(lines, settings: .init(trustedProxies: proxies))
        var request = ServerRequest(method: .get, target: "/nope", client: "1.1.1.1")
        request.headers[.forwardedFor] = field
        _ = handler.immediateResponse(to: request)
        #expect(try lines.objects().first?["client"] as? String == expected)
    }

    @Test(
        "writes paths without signatures, credentials and queries",
        arguments: [
            ("/SIGNATURE/w:1/plain/http://h/a.jpg@png", "/_/w:1/plain/http://h/a.jpg@png"),
            ("/SIGNATURE/w:1/plain/https://u:pw%40h/a.jpg%3Ftoken=x", "/_/w:1/plain/https://h/a.jpg"),
            ("/SIGNATURE/plain/https%3A%2F%2Fu%3Apw%40h%2Fa%3Ft=x@webp", "/_/plain/https://h/a"),
            ("/info/SIGNATURE/plain/http://h/a%3Ftoken=x", "/info/_/plain/http://h/a"),
            ("/SIGNATURE/plain/http://h/a%23token", "/_/plain/http://h/a"),
            ("/SIGNATURE/plain/http://h/a%3Fname=my%20secret%20x", "/_/plain/http://h/a"),
            ("/SIGNATURE/plain/http://p/http://u:pw%40h/a", "/_/plain/http://p/http://h/a"),
            ("/SIGNATURE/plain/http:/u:pw%40h/a", "/_/plain/http://h/a"),
            ("/SIGNATURE/aHR0cDovL2gvYT90b2tlbj14.png", "/_/plain/http://h/a@png"),
            ("/SIGNATURE/aHR0cDov/L2gvYT90b2tlbj14", "/_/plain/http://h/a"),
            ("/SIGNATURE/wm:1/wmu:aHR0cDov/plain/http://h/a", "/_/wm:1/wmu:…/plain/http://h/a"),
            ("/SIGNATURE/wm:1/wmu%3AaHR0cDov/plain/http://h/a", "/_/wm:1/wmu:…/plain/http://h/a"),
            ("/SIGNATURE/fit/300/300/ce/0/plain/https://h/a%3FX-Sig=x", "/_/fit/300/300/ce/0/plain/https://h/a"),
            ("/SIGNATURE/fit/300/300/ce/0/aHR0cDovL2gvYT90b2tlbj14", "/_/fit/300/300/ce/0/plain/http://h/a"),
            ("/SIGNATURE/small/plain/https://u:pw%40h/a%3Ftoken=x", "/_/small/plain/https://h/a"),
            ("/SIGNATURE/a:b/small/aHR0cDov/L2gvYT90b2tlbj14", "/_/a:b/small/plain/http://h/a"),
            ("/img/SIGNATURE_of_16_b/plain/http:/u:pw%40h/a%3Ft=x", "/_/…/plain/http://h/a"),
            ("/img/SIGNATURE_of_16_b/w:1/aHR0cDovL2gvYT90b2tlbj14", "/_/…/w:1/plain/http://h/a"),
            ("/aHR0cDovL2gvYT90b2tlbj14", "/plain/http://h/a"), ("/SIGNATURE_of_16_b", "/…"),
            ("/SIGNATURE/a/b/aHR0cDov/L2gvYT90b2tlbj14", "/_/…"), ("/SIGNATURE/w:1/not_Base64_at_all!", "/_/w:1/…"),
            ("/SIGNATURE/aHR0cDovL2gvYT90b2tlbj14.or_more_of_Base64", "/_/plain/http://h/a@…"),
            ("/SIGNATURE/aHR0cDovL_xoL2E_dG9rZW49eA", "/_/…"), ("/SIGNATURE/fit/1/1/ce/0", "/_/fit/1/1/ce/0"),
            ("/SIGNATURE/aHR0cDpcXHU6cHdAaC9hP3Q9eA", "/_/plain/http://h/a"),
            ("/SIGNATURE/plain/http%3A%5C%5Cu:pw%40h/%FF%3Ft=x", "/_/plain/http://h/%FF"),
            ("/SIGNATURE/w:1/https://u:pw@h/a%3Ft=x", "/_/w:1/https://…/…"),
            ("/SIGNATURE/https:/u:pw@h/a%3Ft", "/_/https:/…/…"),
            ("/SIGNATURE/fiu:aHR0cDov/plain/http://h/a", "/_/fiu:…/plain/http://h/a"),
            ("/purge/w:1/plain/http:/u:pw%40h/a%3Fb", "/purge/w:1/plain/http://h/a"),
            ("/purge/plain/http://u:pw%40h/a%3Fb", "/purge/plain/http://h/a"), ("/health/live", "/health/live"),
            ("/wp-login.php", "/wp-login.php"), ("/", "/"), ("/SIGNATURE/short", "/_/short"),
        ])
    func paths(path: String, expected: String) {
        #expect(LoggedPath.text(path[...]) == expected)
    }

    @Test("writes texts in one line, whatever they contain")
    func quoting() {
        let lines = Lines()
        lines.logger(.text).info(
            "a \"b\"\nc", metadata: ["k": "d e", "l": "f", "m": "\u{2028}\u{2029}\u{85}\u{1B}[0m"])
        #expect(
            lines.all == [
                #"2023-11-14T22:13:20.250Z info test: "a \"b\"\u000ac" k="d e" l=f m="\u2028\u2029\u0085\u001b[0m""#
            ])
        let objects = Lines()
        objects.logger().info(
            "a\nb", metadata: ["k": ["x", "\""], "l": ["y": "\u{7F}"], "n": .stringConvertible(1.5)])
        #expect(
            objects.all == [
                #"{"time":"2023-11-14T22:13:20.250Z","level":"info","logger":"test","message":"a\u000ab","#
                    + #""k":["x","\""],"l":{"y":"\u007f"},"n":1.5}"#
            ])
    }

    @Test("a message has its error")
    func errors() throws {
        let lines = Lines()
        lines.logger().warning("a", error: CancellationError())
        #expect(try lines.objects().first?["error"] as? String == "CancellationError()")
    }

    @Test("loses lines rather than memory if nobody reads them, and says how many")
    func slowReader() async {
        let received = Mutex<[String]>([])
        let blocker = DispatchSemaphore(value: 0)
        let started = TestGate()
        let output = LogOutput(limit: 20, now: { Date(timeIntervalSince1970: 0) }) { data in
            started.open()
            if received.withLock({ $0.isEmpty }) { blocker.wait() }
            received.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
        }
        output.append { _ in "line 0" }
        await started.pass()
        for number in 1..<40 { output.append { _ in "line \(number)" } }
        blocker.signal()
        output.flush()
        let text = received.withLock { $0.joined() }
        #expect(text.hasPrefix("line 0\n") && text.hasSuffix(" messages were lost\n") && text.utf8.count < 100)
    }
}
