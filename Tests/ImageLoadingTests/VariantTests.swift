import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Variants of images", .timeLimit(.minutes(10)))
struct VariantTests {
    private let cost = SettableConditionMonitor(NetworkCost.normal)
    private let fixture: LoaderFixture
    private let source: ImageRequest

    init() {
        fixture = LoaderFixture { [cost] parts in
            parts.variants = ImageVariants { variant in
                // No variant is made of a variant.
                guard variant.source.lastPathComponent == "source" else { return URL(string: "http://a/twice") }
                return URL(string: "http://images.example/\(variant.width ?? 0)-q\(variant.quality)")
            }
            parts.networkCostMonitor = cost
            parts.hints = .standard
        }
        source = fixture.request("source", fit: nil)
        for width in [32, 40, 50, 62, 77] {
            for quality in [50, 80] { _ = fixture.request("\(width)-q\(quality)") }
        }
    }

    private func sized(_ side: Int, _ adjust: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
        var request = source
        request.target = .fit(width: side, height: side)
        adjust(&request)
        return request
    }

    @Test("sizes up to the same step share the download of one variant, and are decoded to their own size")
    func steps() async throws {
        let sizes = try await [33, 40].asyncMap {
            try await fixture.loader.image(for: sized($0)).decoded.bitmap.size.width
        }
        #expect(sizes == [33, 40])
        #expect(fixture.sent == ["40-q80"])
        #expect(fixture.loader.cachedImage(for: sized(40)) != nil)
        #expect(
            fixture.loader.cacheKey(for: sized(33)).identifier == fixture.loader.cacheKey(for: sized(40)).identifier)
        _ = try await fixture.loader.animation(for: sized(50))
        #expect(fixture.sent.last == "50-q80")
    }

    @Test("requests without a target, with a part, headers, a password or no variants, and of files load their URL")
    func originals() async throws {
        let url = try #require(URL(string: "http://eve:x@images.example/source"))
        let file = URL(filePath: "/source")
        let requests = [
            source, sized(33) { $0.headers = ["X-Token": "1"] }, sized(33) { $0.variants = .original },
            sized(33) { $0.origin = .url(url) }, sized(33) { $0.origin = .url(file) },
            sized(33) { ($0.variants, $0.isLowData) = (.original, true) },
            sized(33) { $0.target?.part = PixelArea(left: 0, top: 0, width: 9, height: 9) },
        ]
        for request in requests { #expect(fixture.loader.chosen(request).url == request.url) }
    }

    @Test("a stored larger variant or the stored original is used without a download", arguments: [50, 62, nil])
    func larger(side: Int?) async throws {
        let stored = side.map { sized($0) } ?? source
        _ = try await fixture.loader.data(for: stored)
        let image = try await fixture.loader.image(for: sized(33))
        #expect(image.source == .disk && image.decoded.bitmap.size.width == 33)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("a variant three steps larger, a stored failure and a reload are no reason to skip the download")
    func notUsed() async throws {
        _ = fixture.request("50-q80", then: .status(.notFound))
        _ = try? await fixture.loader.data(for: sized(50))
        _ = try await fixture.loader.data(for: sized(77))
        _ = try await fixture.loader.data(for: sized(33))
        _ = try await fixture.loader.image(for: sized(33) { $0.mode = .reload })
        #expect(fixture.sent == ["50-q80", "77-q80", "40-q80", "40-q80"])
    }

    @Test("a stale variant, and a revalidation, are asked for although a larger one is stored")
    func staleVariant() async throws {
        _ = fixture.request("40-q80", then: .ok(LoaderFixture.image, headers: [.cacheControl: "max-age=0"]))
        for request in [sized(50), sized(33) { $0.mode = .revalidate }, sized(33)] {
            fixture.wallTime.advance(10)
            _ = try await fixture.loader.data(for: request)
        }
        #expect(fixture.sent == ["50-q80", "40-q80", "40-q80"])
    }

    @Test("a larger variant that can't be read is passed over, and looking for one stores nothing")
    func unreadableLarger() async throws {
        let cache = LargerVariants()
        let fixture = LoaderFixture { [variants = self.fixture.loader.configuration.variants] parts in
            parts.variants = variants
            parts.transport = .cached(cache)
        }
        #expect(try await fixture.loader.image(for: sized(33) { $0.mode = .onlyIfCached }).source == .disk)
        let lookups = cache.lookups.messages
        #expect(lookups.map(\.url.lastPathComponent) == ["40-q80", "50-q80", "62-q80"])
        #expect(lookups.map(\.cacheUse.access) == [.readWrite, .readOnly, .readOnly])
        #expect(lookups.allSatisfy { $0.cacheUse.mode == .onlyIfCached })
    }

    @Test("while data is costly, variants are one step smaller, in lower quality and asked for with Save-Data")
    func lowData() async throws {
        cost.condition = .high
        _ = try await fixture.loader.data(for: sized(33))
        _ = try await fixture.loader.data(for: sized(50) { $0.isLowData = false })
        cost.condition = .normal
        _ = try await fixture.loader.data(for: sized(40) { $0.isLowData = true })
        #expect(fixture.sent == ["32-q50", "50-q80"], "the last is on disk")
        let variants = fixture.loader.configuration.variants
        _ = try await fixture.loader.data(for: sized(70) { ($0.isLowData, $0.variants) = (true, variants) })
        #expect(fixture.sent.last == "62-q50")
        let saveData = try #require(HTTPField.Name("Save-Data"))
        #expect(fixture.transport.requests.map { $0.headers[saveData] } == ["on", nil, "on"])
        let silent = LoaderFixture { $0.hints = .priority }
        var request = silent.request("a")
        request.isLowData = true
        _ = try await silent.loader.data(for: request)
        #expect(silent.transport.requests.map { $0.headers[saveData] } == [nil])
        let own = LoaderFixture { $0.hints = .standard }
        _ = try await own.loader.data(for: own.request("a") { ($0.isLowData, $0.headers["Save-Data"]) = (true, "off") })
        #expect(own.transport.requests.map { $0.headers[saveData] } == ["off"])
    }

    @Test("an image is found, removed and stored as the variant of its size")
    func entries() async throws {
        _ = try await fixture.loader.image(for: sized(33))
        #expect(await fixture.loader.isCached(sized(40)))
        await fixture.loader.removeCachedImages(for: sized(40))
        #expect(await !fixture.loader.isCached(sized(33)))
        #expect(await fixture.loader.cacheData(LoaderFixture.image, for: sized(33)))
        #expect(try await fixture.loader.image(for: sized(40)).source == .disk)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("an identifier names the original, and its variants differ")
    func identifiers() {
        let (small, large) = (sized(33) { $0.identifier = "a" }, sized(60) { $0.identifier = "a" })
        let others = [
            // The first two differ only in quality.
            sized(20) { $0.identifier = "a" }, sized(33) { ($0.identifier, $0.isLowData) = ("a", true) },
            sized(33) { ($0.identifier, $0.target) = ("a", .fill(width: 33, height: 33)) },
        ]
        #expect(Set(([small, large] + others).map { fixture.loader.cacheKey(for: $0).identifier }).count == 5)
    }
}

/// Has two larger variants, of which the first breaks off.
private struct LargerVariants: ResponseCache {
    let lookups = MessageLog<TransportRequest>()

    func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        lookups.append(request)
        let broken = TransportBody(pull: { () async throws(TransportError) in
            throw .closedEarly(received: 1, expected: 2)
        })
        let bodies = ["50-q80": broken, "62-q80": TransportBody(LoaderFixture.image)]
        guard let body = bodies[request.url.lastPathComponent] else {
            return .exchange(after: .absent) { throw TransportError.cancelled }
        }
        let head = ResponseHead(status: .ok, url: request.url)
        return .stored(TransportResponse(head: head, body: body, source: .cache))
    }

    func removeStoredResponses(to request: TransportRequest) async {}
}

@Suite("What a server says beside the image", .timeLimit(.minutes(10)))
struct ServerReportTests {
    private static let hashed: HTTPFields = [.contentLanguage: "hash"]

    @Test("a progressive request shows the placeholder of the response before the body, and no other request does")
    func placeholder() async throws {
        let (gate, shown) = (TestGate(), LoaderTestBed.image(width: 7))
        let fixture = LoaderFixture { parts in
            parts.placeholder = { $0.headers["Content-Language"] == "hash" ? shown : nil }
        }
        let reply = ScriptedTransport.Reply(headers: Self.hashed, body: [.wait(gate), .piece(LoaderFixture.image)])
        let task = fixture.loader.task(for: fixture.request("a", then: reply) { $0.isProgressive = true })
        await gate.waitForArrivals(1)
        let plain = fixture.loader.task(for: fixture.request("a", then: reply))
        var previews = await Self.previews(of: task) { gate.open() }
        #expect(previews == [7])
        previews = await Self.previews(of: plain) {}
        #expect(previews.isEmpty)
        let smaller = fixture.request("b")
        _ = try await fixture.loader.image(for: smaller)
        let better = fixture.loader.task(
            for: fixture.request("c", then: .ok(LoaderFixture.image, headers: Self.hashed)) {
                ($0.isProgressive, $0.lowQuality) = (true, [smaller])
            })
        previews = await Self.previews(of: better) {}
        #expect(!previews.contains(7), "a smaller image is better than a placeholder")
    }

    @Test("Accept names the formats that are decoded, unless the request has its own, none are known or it isn't HTTP")
    func accept() async throws {
        let photos = PhotoLibrary()
        let fixture = LoaderFixture {
            ($0.hints, $0.formats) = (.formats, [.jpeg, .webP])
            $0.transport = $0.transport.adding(photos, forScheme: "photos")
        }
        let unknown = LoaderFixture { $0.hints = .formats }
        _ = try await fixture.loader.data(for: fixture.request("a"))
        _ = try await fixture.loader.data(for: fixture.request("b") { $0.headers["Accept"] = "image/png" })
        _ = try await unknown.loader.data(for: unknown.request("a"))
        _ = try await fixture.loader.data(for: ImageRequest(url: try #require(URL(string: "photos:a"))))
        let sent = (fixture.transport.requests + unknown.transport.requests).map { $0.headers[.accept] }
        #expect(sent == ["image/jpeg, image/webp, */*;q=0.5", "image/png", nil])
        #expect(photos.requests.messages.map { $0.headers[.accept] } == [nil])
    }

    /// Returns the widths of all previews. Calls `onPreview` with each.
    private static func previews(of task: ImageTask, onPreview: () -> Void) async -> [Int] {
        var widths: [Int] = []
        for await event in task.events {
            guard case .preview(let image) = event else { continue }
            widths.append(image.bitmap.size.width)
            onPreview()
        }
        return widths
    }

    @Test("observers receive Cache-Status and Server-Timing of responses that have them")
    func reports() async throws {
        let fixture = LoaderFixture()
        let status = try #require(HTTPField.Name("Cache-Status"))
        let timing = try #require(HTTPField.Name("Server-Timing"))
        for (name, fields) in [("a", [status: "edge; hit", timing: "decode;dur=3"]), ("b", [:])]
            as [(String, HTTPFields)]
        {
            _ = try await fixture.loader.data(
                for: fixture.request(name, then: .ok(LoaderFixture.image, headers: fields)))
        }
        fixture.wallTime.advance(4_000)
        #expect(try await fixture.loader.data(for: fixture.request("a", then: .refused)).source == .stale)
        let reports = fixture.observer.kinds().filter { if case .serverReported = $0 { true } else { false } }
        #expect(reports == [.serverReported(cacheStatus: "edge; hit", timing: "decode;dur=3")])
    }
}

/// A transport for a scheme of the application.
private struct PhotoLibrary: DataTransport {
    let requests = MessageLog<TransportRequest>()

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        requests.append(request)
        return TransportResponse(
            head: ResponseHead(status: .ok, url: request.url), body: TransportBody(LoaderFixture.image))
    }
}

extension Sequence where Self: Sendable, Element: Sendable {
    /// Transforms the elements, one after the other.
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
