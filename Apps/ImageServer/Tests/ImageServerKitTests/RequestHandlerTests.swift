import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import NIOCore
import Synchronization
import Testing

@testable import ImageServerKit

@Suite struct RequestHandlerTests {
    private let path = ServiceFixture.path("w:10/f:png")

    private func handler() throws -> (ServiceFixture, RequestHandler) {
        let fixture = try ServiceFixture.withImage()
        return (fixture, fixture.makeHandler())
    }

    @Test("sends the header fields of a result")
    func headerFields() async throws {
        let (_, handler) = try handler()
        let response = await handler.answer(path)
        #expect(response.status == 200)
        #expect(response["Content-Type"] == "image/png")
        #expect(response["Content-Length"] == "\(response.body.count)")
        #expect(response["Cache-Control"] == "public, max-age=100")
        #expect(response["ETag"]?.hasPrefix("\"") == true)
        #expect(response["X-Cache"] == "origin")
        #expect(response["X-Result-Size"] == "10x5")
        #expect(response["Cache-Status"] == "image-server;fwd=miss")
        #expect(response["Source-Size"] == "width=80, height=40")
        let hash = try #require(response["ThumbHash"])
        #expect(
            hash.hasPrefix(":") && hash.hasSuffix(":")
                && Data(base64Encoded: String(hash.dropFirst().dropLast())) != nil)
        #expect(response["X-Content-Type-Options"] == "nosniff")
        #expect(response["Content-Disposition"] == "inline; filename=\"a.png\"")
        #expect(response["Vary"] == nil)
        let stages = response["Server-Timing"]?.split(separator: ", ").map { $0.prefix { $0 != ";" } }
        #expect(stages == ["lookup", "source", "queue", "decode", "process", "encode"])
        #expect(response["X-Request-Id"]?.count == 16)
        let second = await handler.answer(path)
        #expect(second["X-Cache"] == "memory")
        #expect(second["Cache-Status"] == "image-server;hit;detail=memory")
        #expect(second["ThumbHash"] == hash)
        #expect(second["ETag"] == response["ETag"])
        #expect(second.body == response.body)
    }

    @Test("responses with a result, or a part of it, share its memory")
    func sharedMemory() async throws {
        let (_, handler) = try handler()
        func address(_ response: ServerResponse) -> Int? {
            response.sharedBody.map { body in
                unsafe body.withUnsafeReadableBytes { Int(bitPattern: $0.baseAddress) }
            }
        }
        let first = await handler.answer(path)
        let second = await handler.answer(path)
        #expect(address(first) != nil && address(second) == address(first))
        let part = await handler.answer(path, .get, [.range: "bytes=2-5"])
        #expect(address(part) == address(first).map { $0 + 2 })
        #expect(part.sharedBody?.readableBytes == 4)
        #expect(await handler.answer(path, .head).sharedBody == nil)
    }

    @Test("answers conditions and ranges from the result")
    func conditions() async throws {
        let (_, handler) = try handler()
        let full = await handler.answer(path)
        let tag = try #require(full["ETag"])
        let same = await handler.answer(path, .get, [.ifNoneMatch: tag])
        #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
        let part = await handler.answer(path, .get, [.range: "bytes=2-5"])
        #expect(part.status == 206 && part.body == full.body[2..<6])
        #expect(part["Content-Range"] == "bytes 2-5/\(full.body.count)")
        #expect(part["Content-Length"] == "4")
        let beyond = await handler.answer(path, .get, [.range: "bytes=999999-"])
        #expect(beyond.status == 416 && beyond["Content-Range"] == "bytes */\(full.body.count)")
        #expect(await handler.answer(path, .get, [.ifMatch: "\"x\""]).status == 412)
    }

    @Test(
        "names files safely",
        arguments: [
            ("fn:photo", "inline; filename=\"photo.png\""),
            ("att:1", "attachment; filename=\"a.png\""),
            ("fn:a%22%0D%0Ab", "inline; filename=\"a___b.png\"; filename*=UTF-8''a%22%0D%0Ab.png"),
            ("fn:b%C3%BCcher", "inline; filename=\"b_cher.png\"; filename*=UTF-8''b%C3%BCcher.png"),
        ])
    func filenames(options: String, expected: String) async throws {
        let (_, handler) = try handler()
        let value = await handler.answer(ServiceFixture.path("f:png/\(options)"))["Content-Disposition"]
        // A line break is one character, or two.
        #expect(value == expected || value == expected.replacing("a___b", with: "a__b"))
    }

    @Test(
        "a result has the name of its source up to the last dot",
        arguments: [("a.b.jpg", "a.b"), ("a", "a"), (".jpg", "image"), ("b/", "b"), ("", "image")])
    func sourceNames(name: String, expected: String) async throws {
        let (fixture, source) = (ServiceFixture(), "http://example.com/\(name)")
        fixture.script(.data(try SampleImages.jpeg()), source)
        let response = await fixture.makeHandler().answer(ServiceFixture.path("f:png", source))
        #expect(response["Content-Disposition"] == "inline; filename=\"\(expected).png\"")
    }

    @Test("explains failures as text that no cache stores")
    func failures() async throws {
        let (_, handler) = try handler()
        let unknown = await handler.answer(ServiceFixture.path("nope:1"))
        #expect(unknown.status == 404 && unknown.text == "unknown option: nope\n")
        #expect(unknown["Cache-Control"] == "no-store")
        #expect(unknown["Content-Type"]?.hasPrefix("text/plain") == true)
        #expect(await handler.answer("/_/w:1/plain/http://10.0.0.1:22/").status == 403)
        let watermark = "wm:1/wmu:\(Base64URL.encode("http://10.0.0.1:22/".utf8))"
        #expect(await handler.answer(ServiceFixture.path(watermark)).status == 403)
        let fixture = ServiceFixture(signature: URLSignature([]))
        #expect(await fixture.makeHandler().answer(path).status == 403)
    }

    @Test("tells overloaded clients when to come back")
    func retryAfter() {
        let response = ServerResponse(ServiceFailure.overloaded(retryAfter: .milliseconds(9_001)))
        #expect(response.status == 503 && response["Retry-After"] == "10")
    }

    @Test("lets no client keep a result longer than its URL is valid")
    func expiry() async throws {
        let (_, handler) = try handler()
        for (seconds, expected) in [(30, 30), (99, 99), (101, 100), (500, 100)] {
            let path = ServiceFixture.path("w:10/f:png/exp:\(1_700_000_000 + seconds)")
            for _ in 0..<2 { #expect(await handler.answer(path)["Cache-Control"] == "public, max-age=\(expected)") }
        }
    }

    @Test(
        "answers errors of origins as imgproxy does, and passes on when a busy one wants to be asked again",
        arguments: [
            (400, 404), (401, 404), (403, 404), (408, 404), (410, 404), (418, 404), (429, 429), (451, 404), (500, 502),
            (503, 502),
        ])
    func originErrors(status: Int, expected: Int) async throws {
        let fixture = ServiceFixture()
        fixture.script(.failure(.httpStatus(status, retryAfter: .milliseconds(119_001))))
        let response = await fixture.makeHandler().answer(path)
        #expect(response.status == expected && response["Cache-Control"] == "no-store")
        #expect(response["Retry-After"] == (status == 429 ? "120" : nil))
    }

    @Test("refuses requests with a second or an invalid Host, which is a header field here, or with large fields")
    func hosts() async throws {
        let (_, handler) = try handler()
        let host = try #require(HTTPField.Name("Host"))
        for (count, status) in [(32_768, 200), (32_769, 431)] {
            #expect(await handler.answer(path, .get, [.accept: String(repeating: "a", count: count)]).status == status)
        }
        for method in [HTTPRequest.Method.get, .post, .delete] {
            #expect(await handler.answer(path, method, [host: ""]).status == 400)
        }
    }

    @Test("accepts only GET and HEAD")
    func methods() async throws {
        let (_, handler) = try handler()
        let response = await handler.answer(path, .post)
        #expect(response.status == 405 && response["Allow"] == "GET, HEAD, DELETE", "DELETE for purges")
    }

    @Test("answers health checks, and is not ready during the shutdown")
    func health() async throws {
        let (_, handler) = try handler()
        #expect(await handler.answer("/health/ready").status == 200)
        handler.startShutdown()
        #expect(await handler.answer("/health/ready").status == 503)
        #expect(await handler.answer("/health/live").status == 200)
    }

    @Test("counts results and responses")
    func metrics() async throws {
        let (_, handler) = try handler()
        for _ in 0..<3 { _ = await handler.answer(path) }
        _ = await handler.answer("/nope")
        _ = await handler.answer("/_/w:1/plain/http://10.0.0.1:22/")
        let text = await handler.answer("/metrics").text
        #expect(text.contains("image_failures_total{reason=\"source_not_allowed\"} 1\n"))
        #expect(text.contains("image_failures_total{reason=\"url\"} 1\n"))
        #expect(text.contains("image_request_duration_seconds_count{cache=\"memory\"} 2\n"))
        #expect(text.contains("image_request_duration_seconds_count{cache=\"\"} 2\n"))
        #expect(text.contains("image_results_total{level=\"origin\"} 1\n"))
        #expect(text.contains("image_results_total{level=\"memory\"} 2\n"))
        #expect(text.contains("image_responses_total{status=\"200\"} 3\n"))
        #expect(text.contains("image_responses_total{status=\"404\"} 1\n"))
        #expect(text.contains("image_stage_seconds_count{stage=\"decode\"} 1\n"))
        #expect(text.contains("# TYPE image_renderings_total counter\n"))
        #expect(text.contains("image_renderings_total{format=\"gif\"} 0\nimage_renderings_total{format=\"jpeg\"} 0\n"))
        #expect(text.contains("image_renderings_total{format=\"png\"} 1\n"))
        #expect(text.contains("# TYPE image_work_waiting gauge\nimage_work_waiting 2\n"))
        // The buckets of a histogram are cumulative.
        #expect(text.contains("# UNIT image_result_bytes bytes\nimage_result_bytes_bucket{le=\"100.0\"} 0\n"))
        #expect(text.contains("image_result_bytes_bucket{le=\"1000.0\"} 1\n"))
        #expect(text.contains("image_result_bytes_bucket{le=\"+Inf\"} 1\n"))
        #expect(text.contains("image_stage_seconds_bucket{stage=\"decode\",le=\"0.001\"} 1\n"))
        let names = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
        #expect(names == names.sorted())
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("# HELP") }.count == names.count)
    }

    @Test("gauges are the renderings that run and wait, and the memory of the process")
    func gauges() async throws {
        let (fixture, hold) = (ServiceFixture(), TestGate())
        var parts = fixture.makeService().parts
        let gate = AdmissionGate(
            limits: .init(running: 1, waiting: 9, waitingTime: .seconds(9)), clock: fixture.clock)
        parts.gate = gate
        let handler = fixture.makeHandler(ImageService(parts))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await gate.run(origin: "a") { await hold.pass() } } }
            await fixture.clock.waitForSleepers(2)
            let lines = handler.metricsResponse(accept: nil).text.split(separator: "\n")
            hold.open()
            try await group.waitForAll()
            #expect(lines.contains("image_renderings_in_progress 1") && lines.contains("image_renderings_waiting 2"))
            let memory = lines.last { $0.hasPrefix("process_resident_memory_bytes ") }?.split(separator: " ").last
            let bytes = try #require(memory.flatMap { Int($0) })
            #expect(bytes > 1 << 20 && bytes.isMultiple(of: 1_024), "Linux tells it in units of 1,024 bytes")
        }
    }

    @Test(
        "metrics are OpenMetrics for those who prefer it",
        arguments: [
            (nil, false), ("text/plain;version=0.0.4;q=0.5,*/*;q=0.1", false), ("*/*", false),
            ("application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true),
            ("application/openmetrics-text", true), ("application/openmetrics-text;q=0", false),
            ("application/openmetrics-text;q=0.5,text/plain", false), ("Application/OpenMetrics-Text, */*", true),
        ])
    func openMetrics(accept: String?, isOpen: Bool) async throws {
        let (_, handler) = try handler()
        _ = await handler.answer(path)
        let response = await handler.answer("/metrics", .get, accept.map { [.accept: $0] } ?? [:])
        let type = isOpen ? "application/openmetrics-text; version=1.0.0" : "text/plain; version=0.0.4"
        #expect(response["Content-Type"] == type + "; charset=utf-8" && response["Vary"] == "Accept")
        #expect(response.text.hasSuffix("\n# EOF\n") == isOpen)
        #expect(response.text.contains("# TYPE image_results\(isOpen ? "" : "_total") counter\n"))
        #expect(response.text.contains("\nimage_results_total{level=\"origin\"} 1\n"))
    }

    @Test("answers info as JSON, with size, orientation and ThumbHash")
    func info() async throws {
        let (_, handler) = try handler()
        let response = await handler.answer("/info" + ServiceFixture.path("w:1"))
        #expect(response.status == 200 && response["Content-Type"] == "application/json")
        let info = try JSONDecoder().decode(ImageInfo.self, from: response.body)
        #expect(info.format == "jpeg" && info.width == 80 && info.height == 40 && info.orientation == 1)
        #expect(try info.size == SampleImages.jpeg().count && info.frames == 1 && !info.hasAlpha)
        #expect(Data(base64Encoded: info.thumbHash)?.isEmpty == false)
        #expect(await handler.answer("/info/_").status == 404)
    }

    @Test("answers for many sources at once, in their order, each with its failure")
    func infos() async throws {
        let (_, handler) = try handler()
        let path = "%2F_%2Fplain%2Fhttp%253A%252F%252Fexample.com%252Fa.jpg"
        let response = await handler.answer("/infos?path=\(path)&x=1&path=%2F_%2Fnope:1%2Fplain%2Fx&path=\(path)")
        #expect(response.status == 200 && response["Content-Type"] == "application/json")
        let results = try JSONDecoder().decode([ImageInfoResult].self, from: response.body)
        #expect(results.map { $0.info?.width } == [80, nil, 80])
        #expect(results.map(\.failure) == [nil, "unknown option: nope", nil])
    }

    @Test("loads four sources of one request at a time")
    func infosAtOnce() async throws {
        let (fixture, hold) = (ServiceFixture(limit: 4), TestGate())
        let numbers = 0..<8
        for number in numbers {
            fixture.script(.held(hold, .data(try SampleImages.jpeg())), "http://example.com/\(number).jpg")
        }
        let items = numbers.map { "path=%2F_%2Fplain%2Fhttp%253A%252F%252Fexample.com%252F\($0).jpg" }
        let response = Task { await fixture.makeHandler().answer("/infos?" + items.joined(separator: "&")) }
        await fixture.loader.waitForMessages(4)
        hold.open()
        let results = try JSONDecoder().decode([ImageInfoResult].self, from: await response.value.body)
        // A fifth one would be refused.
        #expect(results.map { $0.info?.width } == numbers.map { _ in 80 })
    }

    @Test("answers info for no other client if sources depend on its fields")
    func personalInfo() async throws {
        let forwarding = ForwardedFields(names: [.cookie])
        let handler = try ServiceFixture.withImage(ServiceFixture(forwarding: forwarding)).makeHandler()
        for (handler, caching) in [(try self.handler().1, "no-cache"), (handler, "private, no-cache")] {
            #expect(await handler.answer("/info" + path)["Cache-Control"] == caching)
        }
    }

    @Test("limits the number of sources of one request", arguments: [(0, 400), (1, 200), (100, 200), (101, 400)])
    func infoLimit(count: Int, status: Int) async throws {
        let (_, handler) = try handler()
        let items = Array(repeating: "path=%2F_%2Fplain%2Fx", count: count).joined(separator: "&")
        #expect(await handler.answer("/infos?" + items).status == status)
        #expect(await handler.answer("/infos").status == 400)
    }

    @Test("uses reloaded presets for the next request")
    func reloading() async throws {
        let (fixture, handler) = try handler()
        let path = ServiceFixture.path("pr:small/f:png")
        #expect(await handler.answer(path).status == 404)
        fixture.parser.replace(with: ImageURLParser(signature: nil, presets: try Presets(["small=w:4"])))
        #expect(await handler.answer(path)["X-Result-Size"] == "4x2")
        fixture.parser.replace(with: ImageURLParser(signature: nil, presets: try Presets(["small=w:6"])))
        #expect(await handler.answer(path)["X-Result-Size"] == "6x3")
    }
}
