import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import Logging
import Synchronization
import Testing

@testable import ImageServerKit

@Suite("What the operator decides about responses") struct ResponseRulesTests {
    private let path = ServiceFixture.path("w:10/f:png")

    private func handler(_ rules: ResponseRules) throws -> RequestHandler {
        try ServiceFixture.withImage().makeHandler(rules: rules)
    }

    @Test("lets scripts of an origin read responses, and answers browsers that ask")
    func crossOrigin() async throws {
        let handler = try handler(ResponseRules(allowedReader: "https://a.org"))
        for path in [path, path, "/_/nope", "/metrics"] {
            #expect(await handler.answer(path)["Access-Control-Allow-Origin"] == "https://a.org")
        }
        let preflight = await handler.answer(path, .options)
        #expect(preflight.status == 204 && preflight["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
        #expect(preflight["Access-Control-Allow-Origin"] == "https://a.org" && preflight["Content-Length"] == nil)
        let closed = try self.handler(ResponseRules())
        #expect(await closed.answer(path)["Access-Control-Allow-Origin"] == nil)
        #expect(await closed.answer(path, .options).status == 405)
    }

    @Test("adds header fields to all responses, in place of its own")
    func headerFields() async throws {
        let handler = try handler(ResponseRules(headers: [.contentSecurityPolicy: "sandbox", .server: "x"]))
        for path in [path, path, "/_/nope", "/health/live", "/"] {
            let response = await handler.answer(path)
            #expect(response["Content-Security-Policy"] == "sandbox" && response["Server"] == "x")
        }
    }

    @Test("answers the health check at another path, below the prefix")
    func healthPath() async {
        let rules = ResponseRules(pathPrefix: "/images", healthPath: "/healthz")
        let handler = ServiceFixture().makeHandler(rules: rules)
        for path in ["/images/healthz", "/images/health", "/health"] {
            #expect(await handler.answer(path).text == "alive\n", "\(path)")
        }
        for path in ["/healthz", "/images/healthz/x", "/images/healthz/"] {
            #expect(await handler.answer(path).status == 404, "\(path)")
        }
    }

    @Test("the path of the health check stays as it is written, after a slash", arguments: ["/", "/a/", "a//b"])
    func healthPaths(text: String) async throws {
        let rules = try await unsignedSettings(["--path-prefix", "images", "--health-path", text]).responseRules
        let path = "/images" + (text.hasPrefix("/") ? "" : "/") + text
        #expect(await ServiceFixture().makeHandler(rules: rules).answer(path).text == "alive\n")
    }

    @Test("answers below a prefix only, apart from health checks")
    func prefix() async throws {
        let handler = try handler(ResponseRules(pathPrefix: "/images/v1"))
        #expect(await handler.answer("/images/v1" + path).status == 200)
        #expect(await handler.answer("/images/v1/info" + path).status == 200)
        #expect(await handler.answer("/images/v1/health/live").status == 200)
        #expect(await handler.answer("/health/live").status == 200)
        for path in [
            path, "/images" + path, "/images/v10" + path, "/images/v1", "/metrics", "/healthy" + path,
            "/health" + path.dropFirst(2),
        ] {
            #expect(await handler.answer(path).status == 404, "\(path)")
            #expect(await handler.answer(path).text == "the path has another prefix\n")
        }
    }

    @Test("reads the rules from settings")
    func settings() async throws {
        let rules = try await unsignedSettings([
            "--path-prefix", "images/v1/", "--allow-origin", "*", "--response-headers", "X-A: b, c\\;Server=x",
        ]).responseRules
        #expect(rules.pathPrefix == "/images/v1" && rules.allowedReader == "*" && rules.purgeSecret == nil)
        #expect(
            rules.headers[.server] == "x"
                && HTTPField.Name("X-A").flatMap { rules.headers[$0]?.filter { $0 != " " } } == "b,c")
        for text in ["x", "a b: c", ": c", "a: \u{7}"] {
            await #expect(throws: SettingsFailure.self, "\(text)") {
                try await unsignedSettings(["--response-headers", text])
            }
        }
    }

    @Test("shows the fallback image, in the size and format of the URL, for sources that can't be loaded or decoded")
    func fallback() async throws {
        let fixture = ServiceFixture()
        let image = try SampleImages.jpeg()
        fixture.fallback.withLock { $0 = FallbackImage(status: 200, lifetime: .seconds(7), source: .data(image)) }
        let handler = fixture.makeHandler()
        for reply in [
            FakeImageLoader.Reply.failure(.notFound), .failure(.httpStatus(429)), .failure(.network(.tls, "")),
            .data(Data("text".utf8)),
        ] {
            fixture.script(reply)
            let response = await handler.answer(path)
            #expect(response.status == 200 && response["X-Result-Size"] == "10x5" && response["Fallback-Image"] == "1")
            #expect(response["Content-Type"] == "image/png" && response["Cache-Control"] == "public, max-age=7")
            #expect(response.failure != nil, "for the log and the metrics")
        }
        #expect(await handler.answer("/_/nope").status == 404)
        fixture.script(.data(try SampleImages.jpeg(90, 30)))
        let found = await handler.answer(path)
        #expect(found["X-Result-Size"] == "10x3" && found["Fallback-Image"] == nil)
    }

    @Test("the fallback image and its watermark are as new as their files, and in the trace of the request")
    func fallbackFiles() async throws {
        let (fixture, mark) = (ServiceFixture(), "http://a/mark.png")
        let loader = TraceRecordingLoader(base: fixture.loader)
        let own = try #require(URL(string: "http://a/fallback.png"))
        fixture.fallback.withLock { $0 = FallbackImage(status: 200, lifetime: .seconds(7), source: .url(own)) }
        var parts = fixture.makeService().parts
        parts.loader = loader
        parts.tracer = ServerTracer(now: { Date() }, receive: { _ in })
        let handler = fixture.makeHandler(ImageService(parts))
        func body() async throws -> Data {
            let path = ServiceFixture.path("f:png/wm:1/wmu:\(Base64URL.encode(mark.utf8))")
            let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            let response = await handler.answer(path, .get, [.traceparent: trace])
            #expect(response.status == 200)
            return response.body
        }
        fixture.script(.failure(.notFound))
        fixture.script(.data(try SampleImages.jpeg()), own.absoluteString)
        fixture.script(.data(try SampleImages.png(8, 8)), mark)
        let first = try await body()
        fixture.script(.data(try SampleImages.png(6, 6)), mark)
        #expect(try await body() == first)
        parts.purges.add(source: try #require(URL(string: mark)))
        fixture.script(.data(try SampleImages.png(6, 6)), mark, purgedAt: fixture.now)
        let second = try await body()
        #expect(second != first, "the watermark was purged")
        fixture.script(.data(try SampleImages.jpeg(60, 30)), own.absoluteString)
        fixture.advance(seconds: 200)
        let third = try await body()
        #expect(third != second, "the fallback image was out of date")
        fixture.script(.failure(.network(.tls, "")), own.absoluteString)
        fixture.advance(seconds: 200)
        #expect(try await body() == third, "an old one is better than none")
        parts.purges.add(source: own)
        fixture.advance(seconds: 1)
        let path = ServiceFixture.path("w:9")
        #expect(loader.traces.withLock { $0 } == ["4bf92f3577b34da6a3ce929d0e0e4736"])
        #expect(await handler.answer(path).status == 404, "but not one that was purged")
    }

    @Test(
        "the fallback image has the format that each URL and each client asks for, and is private for one with fields")
    func fallbackVariants() async throws {
        let destinations = OriginRules(allowedOrigins: [try AllowedOrigin("http://example.com")])
        let fixture = ServiceFixture(forwarding: ForwardedFields(names: [.cookie], destinations: destinations))
        let image = try SampleImages.jpeg()
        fixture.fallback.withLock { $0 = FallbackImage(status: 200, lifetime: .seconds(7), source: .data(image)) }
        let (handler, cookie) = (fixture.makeHandler(), HTTPField(name: .cookie, value: "user=1"))
        for client in [[], [cookie]] { fixture.script(.failure(.notFound), client: client) }
        for (options, accept, type) in [
            ("w:10/f:png", nil, "png"), ("w:10/f:gif", nil, "gif"), ("w:10", nil, "jpeg"),
            ("w:10", "image/webp", "webp"),
        ] as [(String, String?, String)] {
            for (client, storage) in [([], "public"), ([cookie], "private")] as [([HTTPField], String)] {
                var fields = HTTPFields(client)
                fields[.accept] = accept
                let response = await handler.answer(ServiceFixture.path(options), .get, fields)
                #expect(response["Content-Type"] == "image/\(type)")
                #expect(response["Cache-Control"] == "\(storage), max-age=7")
            }
        }
    }

    @Test("keeps the status of the failure if the settings say so")
    func fallbackStatus() async throws {
        let fixture = ServiceFixture()
        let image = try SampleImages.jpeg()
        fixture.fallback.withLock { $0 = FallbackImage(status: nil, lifetime: .seconds(7), source: .data(image)) }
        fixture.script(.failure(.httpStatus(500)))
        let response = await fixture.makeHandler().answer(path)
        #expect(response.status == 502 && response["Content-Type"] == "image/png")
    }

    /// Returns a service with a fallback image, and a task that has its only decoder until a gate is open.
    private func busyService(
        _ fixture: ServiceFixture, _ hold: TestGate, _ receive: @escaping @Sendable (FinishedSpan) -> Void = { _ in }
    ) async throws -> ImageService {
        let image = try SampleImages.jpeg()
        fixture.fallback.withLock { $0 = FallbackImage(status: 200, lifetime: .seconds(7), source: .data(image)) }
        var parts = fixture.makeService().parts
        parts.tracer = ServerTracer(now: { Date() }, receive: receive)
        let decoders = parts.decoders
        Task { try await decoders.run(origin: "") { await hold.pass() } }
        await hold.waitForArrivals(1)
        return ImageService(parts)
    }

    @Test("the fallback image is rendered in the gate, and in the time limit of the request")
    func fallbackLimits() async throws {
        let (fixture, loading, decoding) = (ServiceFixture(), TestGate(), TestGate())
        fixture.script(.held(loading, .failure(.notFound)))
        let service = try await busyService(fixture, decoding)
        let request = Task { try await service.image(path: path, accept: nil) }
        await fixture.clock.waitForSleepers(1)
        await fixture.loader.waitForMessages(1)
        fixture.clock.advance(by: .seconds(20))
        loading.open()
        while service.parts.decoders.waitingCount == 0 { await Task.yield() }
        try #require(fixture.gate.runningCount == 1)
        fixture.clock.advance(by: .seconds(11))
        await #expect { try await request.value } throws: { ($0 as? ServiceFailure)?.status == 504 }
        decoding.open()
    }

    @Test("equal fallback images are rendered once for sources that fail at the same time")
    func fallbackAtOnce() async throws {
        let (fixture, loading, decoding) = (ServiceFixture(), TestGate(), TestGate())
        let renderings = Mutex(0)
        let service = try await busyService(fixture, decoding) { span in
            if span.name == "render" { renderings.withLock { $0 += 1 } }
        }
        let requests = (0..<8).map { number in
            let source = "http://example.com/\(number)"
            fixture.script(.held(loading, .failure(.notFound)), source)
            let path = ServiceFixture.path("w:10/f:png", source)
            return Task { try await service.image(path: path, accept: nil, trace: TraceContext(isSampled: true)) }
        }
        await loading.waitForArrivals(8)
        loading.open()
        while service.parts.decoders.waitingCount == 0 { await Task.yield() }
        decoding.open()
        for request in requests { #expect(try await request.value.result.metadata.width == 10) }
        #expect(renderings.withLock { $0 } == 1)
    }
}

/// Records the traces of requests for originals.
private final class TraceRecordingLoader: ImageLoaderProtocol {
    let traces = Mutex<Set<String?>>([])
    private let base: FakeImageLoader

    init(base: FakeImageLoader) { self.base = base }

    func cachedImage(for request: ImageRequest) -> LoadedImage? { base.cachedImage(for: request) }

    func image(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage {
        try await base.image(for: request, following: priority, onProgress: onProgress)
    }

    func data(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData {
        let trace = request.userInfo[.trace, as: TraceContext.self]
        traces.withLock { _ = $0.insert(trace?.traceID) }
        return try await base.data(for: request, following: priority, onProgress: onProgress)
    }
}

@Suite("What URLs may have") struct OptionRulesTests {
    private func options(_ path: String, _ rules: OptionRules) throws -> ProcessingOptions {
        try ImageURLParser(signature: nil, presets: Presets(["small=w:5/bl:1", "sharp=q:9"]), rules: rules)
            .parse("/_/\(path)", now: .distantPast).options
    }

    @Test("only presets")
    func onlyPresets() throws {
        let rules = OptionRules(onlyPresets: true)
        let both = try options("small:sharp/plain/http://a/b@png", rules)
        #expect(both.width == 5 && both.quality == 9 && both.format == .png)
        #expect(try options("small/aHR0cDovL2EuYi9jZA", rules).width == 5)
        for path in ["w:5/plain/http://a/b", "plain/http://a/b", "small/w:9/plain/http://a/b"] {
            #expect(throws: URLFailure.self, "\(path)") { try options(path, rules) }
        }
    }

    @Test("only the allowed options, but all in presets")
    func allowed() throws {
        let rules = OptionRules(allowed: ["w", "pr"])
        #expect(try options("w:7/plain/http://a/b@png", rules).width == 7)
        #expect(try options("pr:small/plain/http://a/b", rules).blur == 1)
        for path in ["h:5", "q:5", "width:5", "w:5/bl:1", "fit/5/5/ce/0"] {
            #expect(throws: URLFailure.self, "\(path)") { try options("\(path)/plain/http://a/b", rules) }
        }
    }
}
