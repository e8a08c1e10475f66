import HTTPTypes
import ImageCore
import ImageLoading
import Testing

@testable import ImageTesting

@Suite("How long images stay in memory")
struct RetentionTests {
    @Test("a request decides whether its image is expendable", arguments: [MemoryRetention.expendable, .preferred])
    func requested(_ retention: MemoryRetention) async throws {
        let fixture = LoaderFixture()
        let request = fixture.request("a") { $0.memoryRetention = retention }
        _ = try await fixture.loader.image(for: request)
        #expect(fixture.memory.retentions == [request.cacheKey: retention])
    }

    @Test("by default, an image is expendable if its original is on disk, and otherwise preferred")
    func automatic() async throws {
        let fixture = LoaderFixture()
        let (stored, unstored) = (fixture.request("a"), fixture.request("b") { $0.cachePolicy.disk = .disabled })
        let refused = fixture.request("c", first: .ok(LoaderFixture.image, headers: [.cacheControl: "no-store"]))
        let local = ImageRequest(.data(LoaderFixture.image, name: "local"))
        var processed = refused
        processed.processors = [FakeProcessor("same") { $0 }]
        for request in [stored, unstored, refused, local, processed] {
            _ = try await fixture.loader.image(for: request)
        }
        #expect(
            fixture.memory.retentions == [
                stored.cacheKey: .expendable, unstored.cacheKey: .preferred, refused.cacheKey: .preferred,
                local.cacheKey: .expendable, processed.cacheKey: .preferred,
            ])
        fixture.memory.removeAll()
        _ = try await fixture.loader.image(for: stored)
        #expect(fixture.memory.retentions == [stored.cacheKey: .expendable])
        let withoutDisk = LoaderTestBed()
        let request = withoutDisk.request("a")
        _ = try await withoutDisk.loader.image(for: request)
        #expect(withoutDisk.memory.retentions == [request.cacheKey: .preferred])
    }

    @Test(
        "the image of a fetch is expendable if its original is stored", arguments: [CacheAccess.readWrite, .readOnly])
    func fetched(_ access: CacheAccess) async throws {
        let fixture = LoaderFixture()
        let origin = ImageOrigin.fetch(name: "photo") { LoaderFixture.image }
        let request = ImageRequest(origin, cachePolicy: ImageCachePolicy(disk: access))
        _ = try await fixture.loader.image(for: request)
        #expect(fixture.memory.retentions == [request.cacheKey: access.writes ? .expendable : .preferred])
    }

    @Test("an image that the application inserts is preferred, unless the request says otherwise")
    func inserted() {
        let fixture = LoaderFixture()
        let (own, cheap) = (fixture.request("a"), fixture.request("b") { $0.memoryRetention = .expendable })
        for request in [own, cheap] { fixture.loader.cacheImage(LoaderTestBed.image(width: 4), for: request) }
        #expect(fixture.memory.retentions == [own.cacheKey: .preferred, cheap.cacheKey: .expendable])
    }
}
