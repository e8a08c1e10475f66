import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct ImageServiceTests {
    private let path = ServiceFixture.path("w:10/f:png")

    @Test("renders once, and then answers from memory, and from disk after a restart")
    func levels() async throws {
        let fixture = try ServiceFixture.withImage()
        let service = fixture.makeService()
        let first = try await service.image(path: path, accept: nil)
        #expect(first.level == .origin)
        #expect(first.result.metadata.width == 10 && first.result.metadata.height == 5)
        #expect(try service.imageInMemory(path: path, accept: nil)?.level == .memory)
        await service.shutDown()
        let restarted = fixture.makeService()
        #expect(try restarted.imageInMemory(path: path, accept: nil) == nil)
        let second = try await restarted.image(path: path, accept: nil)
        #expect(second.level == .disk)
        #expect(second.result == first.result)
        #expect(fixture.loadCount == 1)
        await restarted.shutDown()
    }

    @Test("never serves a result that was made with other settings, from any level")
    func otherSettings() async throws {
        let fixture = try ServiceFixture.withImage()
        let (old, new) = (fixture.makeService(settingsKey: "old"), fixture.makeService(settingsKey: "new"))
        for service in [old, new] {
            #expect(try await service.image(path: path, accept: nil).level == .origin)
            await service.parts.cache.flush()
        }
        let restarted = fixture.makeService(settingsKey: "old")
        #expect(try await restarted.image(path: path, accept: nil).level == .disk)
        for service in [old, new, restarted] { await service.shutDown() }
    }

    @Test("a result in the format of the URL is not used where another format is enforced")
    func otherFormats() async throws {
        let fixture = try ServiceFixture.withImage()
        for (enforced, format) in [([.jpegXL], "png"), ([.webP], "webp")] as [(Set<ImageFormat>, String)] {
            var parts = fixture.makeService().parts
            parts.formats = FormatRules(enforced: enforced)
            let service = ImageService(parts)
            #expect(try await service.image(path: path, accept: "image/webp").result.metadata.format == format)
            await service.shutDown()
        }
    }

    @Test("a result with the watermark of the settings is not used with another one")
    func otherWatermarks() async throws {
        let fixture = try ServiceFixture.withImage()
        for side in [3, 4] {
            var parts = fixture.makeService().parts
            parts.watermark = Watermark(file: try SampleImages.png(side, side), opacity: 1)
            let service = ImageService(parts)
            #expect(try await service.image(path: ServiceFixture.path("f:png/wm:1"), accept: nil).level == .origin)
            await service.shutDown()
        }
    }

    @Test("only a watermark that every cache may store is kept", arguments: [("max-age=60", 1), ("private", 2)])
    func watermarkFiles(cacheControl: String, loads: Int) async throws {
        let (fixture, mark) = (try ServiceFixture.withImage(), "http://example.com/mark.png")
        let url = try #require(URL(string: mark))
        let response = OriginalResponse(url: url, headers: ["Cache-Control": cacheControl])
        fixture.script(.data(try SampleImages.png(8, 8), responses: [response]), mark)
        let service = fixture.makeService()
        for width in [10, 20] {
            let path = ServiceFixture.path("f:png/w:\(width)/wm:1/wmu:\(Base64URL.encode(mark.utf8))")
            _ = try await service.image(path: path, accept: nil)
        }
        #expect(fixture.loader.messages.count { $0 == .data(mark) } == loads)
        await service.shutDown()
    }

    @Test("keeps the results of different clients and options apart")
    func variants() async throws {
        let fixture = try ServiceFixture.withImage()
        let service = fixture.makeService()
        let negotiated = ServiceFixture.path("w:10")
        #expect(try await service.image(path: negotiated, accept: "image/webp").result.metadata.format == "webp")
        #expect(try await service.image(path: negotiated, accept: nil).result.metadata.format == "jpeg")
        #expect(try await service.image(path: path, accept: "image/webp").vary.isEmpty)
        await service.shutDown()
    }

    @Test("an origin is a scheme, a host and a port, however they are written")
    func originNames() {
        for text in ["http://a.org/b", "HTTP://A.org:80/c"] {
            #expect(URL(string: text)?.originName == "http://a.org:80")
        }
        for text in ["https://a.org", "HTTPS://a.ORG:443/?x"] {
            #expect(URL(string: text)?.originName == "https://a.org:443")
        }
    }

    @Test("asks the origin again when a result is stale, and renders only a changed original")
    func revalidation() async throws {
        let fixture = try ServiceFixture.withImage(ServiceFixture(memoryByteLimit: 0))
        let service = fixture.makeService()
        let first = try await service.image(path: path, accept: nil)
        await service.parts.cache.flush()
        fixture.advance(seconds: 99)
        #expect(try await service.image(path: path, accept: nil).level == .disk)
        fixture.advance(seconds: 2)
        let renewed = try await service.image(path: path, accept: nil)
        #expect(renewed.level == .origin)
        #expect(renewed.result.data == first.result.data)
        #expect(renewed.times[.decode] == nil)
        #expect(renewed.result.metadata.freshUntil > first.result.metadata.freshUntil)
        await service.parts.cache.flush()
        fixture.script(.data(try SampleImages.jpeg(90, 40)))
        fixture.advance(seconds: 101)
        let changed = try await service.image(path: path, accept: nil)
        #expect(changed.result.metadata.tag != first.result.metadata.tag)
        #expect(changed.times[.decode] != nil)
        #expect(fixture.loadCount == 3)
        await service.shutDown()
    }

    @Test(
        "stores nothing that the origin does not allow every cache to store",
        arguments: ["private", "no-store"])
    func privateResults(cacheControl: String) async throws {
        let fixture = ServiceFixture()
        let url = try #require(URL(string: ServiceFixture.source))
        let response = OriginalResponse(url: url, headers: ["Cache-Control": cacheControl])
        fixture.script(.data(try SampleImages.jpeg(), responses: [response]))
        let service = fixture.makeService()
        for _ in 0..<2 { #expect(try await service.image(path: path, accept: nil).level == .origin) }
        await service.shutDown()
        #expect(fixture.loadCount == 2)
        #expect(fixture.disk.entries.isEmpty && fixture.shared.entries.isEmpty)
    }

    @Test("a stale result of an unchanged original may be stored by those whom the origin allows now")
    func renewedStorage() async throws {
        let fixture = try ServiceFixture.withImage(ServiceFixture(memoryByteLimit: 0))
        let service = fixture.makeService()
        #expect(try await service.image(path: path, accept: nil).result.metadata.storage == .shared)
        await service.parts.cache.flush()
        let url = try #require(URL(string: ServiceFixture.source))
        let response = OriginalResponse(url: url, headers: ["Cache-Control": "private"])
        fixture.script(.data(try SampleImages.jpeg(), responses: [response]))
        fixture.advance(seconds: 101)
        let renewed = try await service.image(path: path, accept: nil)
        #expect(renewed.times[.decode] == nil)
        #expect(renewed.result.metadata.storage == .client)
        await service.shutDown()
    }

    @Test("ends a request after the time limit, and cancels its work")
    func deadline() async throws {
        let fixture = ServiceFixture()
        fixture.script(.held(TestGate(), .data(try SampleImages.jpeg())))
        let service = fixture.makeService()
        let request = Task { try await service.image(path: path, accept: nil) }
        await fixture.clock.waitForSleepers(1)
        await fixture.loader.waitForMessages(1)
        fixture.clock.advance(by: .seconds(31))
        await #expect { try await request.value } throws: { ($0 as? ServiceFailure)?.status == 504 }
        #expect(fixture.gate.runningCount == 0)
        #expect(fixture.loader.messages.contains(.cancelled(ServiceFixture.source)))
        await service.shutDown()
    }

    @Test("renders for several servers once, with a lease")
    func lease() async throws {
        let lease = StoredElsewhere()
        let fixture = try ServiceFixture.withImage(ServiceFixture(lease: lease))
        let other = fixture.makeService()
        _ = try await other.image(path: path, accept: nil)
        await other.shutDown()
        try await fixture.disk.removeAll()
        let service = fixture.makeService()
        let answer = try await service.image(path: path, accept: nil)
        #expect(answer.level == .shared)
        #expect(fixture.loadCount == 1)
        await service.shutDown()
    }

    @Test("does not answer an expired URL from memory")
    func expiry() async throws {
        let fixture = try ServiceFixture.withImage()
        let service = fixture.makeService()
        let path = ServiceFixture.path("exp:1700000050/f:png")
        _ = try await service.image(path: path, accept: nil)
        #expect(try service.imageInMemory(path: path, accept: nil) != nil)
        fixture.advance(seconds: 51)
        #expect(throws: ServiceFailure.self) { try service.imageInMemory(path: path, accept: nil) }
        await service.shutDown()
    }

    @Test(
        "gives each failure its status",
        arguments: [
            (.invalidURL("10.0.0.1"), 404), (.notFound, 404), (.network(.blockedAddress, "10.0.0.1"), 502),
            (.network(.redirect, "10.0.0.1"), 403), (.network(.timedOut, "10.0.0.1"), 504),
            (.network(.connectionRefused, "10.0.0.1"), 502), (.httpStatus(500), 502),
            (.tooLarge(byteLimit: 1), 422), (.offline, 502), (.cancelled, 503), (.shutDown, 503),
        ] as [(ImageError, Int)])
    func statuses(error: ImageError, status: Int) async {
        let fixture = ServiceFixture()
        fixture.script(.failure(error))
        let service = fixture.makeService()
        await #expect { try await service.image(path: path, accept: nil) } throws: {
            let failure = $0 as? ServiceFailure
            let isLogged = failure?.logText.contains("10.0.0.1") == "\(error)".contains("10.0.0.1")
            return failure?.status == status && failure?.description.contains("10.0.0.1") == false && isLogged
        }
        #expect(fixture.disk.entries.isEmpty)
    }

    @Test("refuses sources before it loads them")
    func refusedSources() async {
        let fixture = ServiceFixture()
        let service = fixture.makeService()
        for source in ["http://user@example.com/a", "ftp://example.com/a", "http://example.com:22/"] {
            await #expect {
                try await service.image(
                    path: ServiceFixture.path("w:1", source.replacing("@", with: "%40")), accept: nil)
            } throws: {
                ($0 as? ServiceFailure)?.status == 403
            }
        }
        #expect(fixture.loader.messages.isEmpty)
    }
}

/// A lease that another server holds until the result is stored.
private struct StoredElsewhere: RenderingLease {
    func value<Value: Sendable>(
        for key: String, lookup: () async -> Value?, produce: () async throws -> Value
    ) async throws -> Value {
        if let value = await lookup() { return value }
        return try await produce()
    }
}
