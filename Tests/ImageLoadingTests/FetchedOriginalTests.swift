import Foundation
import ImageCore
import ImageLoading
import ImageTransporting
import Testing

@testable import ImageTesting

@Suite("Stored originals of custom fetches", .timeLimit(.minutes(10)))
struct FetchedOriginalTests {
    private let fixture = LoaderFixture()
    private let calls = Watched(0)

    private func request(
        _ name: String = "asset", data: Data = LoaderFixture.image,
        adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        var request = ImageRequest(
            .fetch(name: name) { [calls] in
                calls.change { $0 += 1 }
                return data
            }, cachePolicy: .diskOnly)
        adjust(&request)
        return request
    }

    @Test("an original is stored under its name and returned for the next request, also offline")
    func stored() async throws {
        #expect(try await fixture.loader.image(for: request()).source == .network)
        await fixture.loader.cacheData(LoaderFixture.image, for: request("own"), lifetime: .zero)
        fixture.wallTime.advance(1_000_000_000)
        #expect(try await fixture.loader.data(for: request("own")).source == .disk)
        #expect(try await fixture.loader.image(for: request()).source == .disk)
        #expect(try await fixture.loader.data(for: request { $0.mode = .onlyIfCached }).source == .disk)
        #expect(calls.value == 1)
        let kinds = fixture.observer.kinds()
        #expect(kinds.contains(.diskMiss(.absent)))
        #expect(kinds.contains(.diskHit(bytes: LoaderFixture.image.count)))
    }

    @Test("name, identifier and headers distinguish originals")
    func keys() async throws {
        let changes: [@Sendable (inout ImageRequest) -> Void] = [
            { _ in }, { $0.identifier = "fetch asset" }, { $0.headers = ["Accept-Language": "fi"] },
        ]
        for change in changes {
            #expect(try await fixture.loader.data(for: request(adjust: change)).source == .network)
        }
        for name in ["%61sset", "\u{1}b", "\u{1b}"] {
            #expect(try await fixture.loader.data(for: request(name)).source == .network)
        }
        for change in changes {
            #expect(try await fixture.loader.data(for: request(adjust: change)).source == .disk)
        }
    }

    @Test(
        "the disk cache policy applies to reading and writing",
        arguments: [(CacheAccess.readWrite, 1), (.readOnly, 0), (.disabled, 0)])
    func policy(_ access: CacheAccess, entries: Int) async throws {
        _ = try await fixture.loader.data(for: request { $0.cachePolicy.disk = access })
        #expect(fixture.storedOriginals.count == entries)
        _ = try await fixture.loader.data(for: request())
        let source = try await fixture.loader.data(for: request { $0.cachePolicy.disk = access }).source
        #expect(source == (access.reads ? .disk : .network))
    }

    @Test("a reload fetches again and stores the new original")
    func reload() async throws {
        _ = try await fixture.loader.data(for: request())
        let newer = FakeImage.encode(width: 8, height: 8)
        let reload = request(data: newer) { $0.mode = .reload }
        #expect(try await fixture.loader.data(for: reload).data == newer)
        #expect(try await fixture.loader.data(for: request()).data == newer)
    }

    @Test("the result of an older fetch after a reload is not stored")
    func overtaken() async throws {
        let gate = TestGate()
        let old = ImageRequest(
            .fetch(name: "asset") {
                await gate.pass()
                return Data("old".utf8)
            })
        let older = Task { try await fixture.loader.data(for: old) }
        await gate.waitForArrivals(1)
        _ = try await fixture.loader.data(for: request { $0.mode = .reload })
        gate.open()
        #expect(try await older.value.data == Data("old".utf8))
        #expect(fixture.storedOriginals == [LoaderFixture.image])
    }

    @Test("an original that is outdated while it is stored is removed")
    func outdatedWhileStored() async throws {
        let (gate, removed) = (TestGate(), MessageLog<URL>())
        let fixture = LoaderFixture { parts in
            parts.transport = .cached(SlowStore(cache: parts.transport, gate: gate, removed: removed))
        }
        let request = request()
        let task = Task { try await fixture.loader.data(for: request) }
        await gate.waitForArrivals(1)
        fixture.loader.cacheImage(LoaderTestBed.image(width: 4), for: request)
        gate.open()
        _ = try await task.value
        #expect(removed.messages.count == 1)
    }

    @Test("undecodable bytes are removed from disk and fetched once more")
    func undecodable() async throws {
        _ = try await fixture.loader.data(for: request(data: Data("no image".utf8)))
        #expect(try await fixture.loader.image(for: request()).source == .network)
        #expect(fixture.storedOriginals == [LoaderFixture.image])
    }
}

/// A cache that waits before it stores, and logs removals.
private struct SlowStore: ResponseCache {
    let cache: any ResponseCache
    let gate: TestGate
    let removed: MessageLog<URL>

    func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        try await cache.answer(to: request)
    }

    func storeResponse(_ body: Data, to request: TransportRequest, lifetime: Duration) async -> Bool {
        await gate.pass()
        return await cache.storeResponse(body, to: request, lifetime: lifetime)
    }

    func removeStoredResponses(to request: TransportRequest) async { removed.append(request.url) }
}
