import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Testing

@Suite("Loader and stored responses")
struct StoredResponseTests {
    private let fixture = LoaderFixture()
    private let bytes = LoaderFixture.image.count

    /// A reply that is stale at once and has a validator.
    private let stale = ScriptedTransport.Reply.ok(
        LoaderFixture.image, headers: [.cacheControl: "max-age=0", .eTag: "\"1\""])

    @Test("a response that the origin confirms is returned from disk as validated")
    func validated() async throws {
        let request = fixture.request("a", first: stale, then: .status(.notModified))
        _ = try await fixture.loader.data(for: request)
        fixture.wallTime.advance(10)
        let loaded = try await fixture.loader.data(for: request)
        #expect(loaded.source == .validated && loaded.data == LoaderFixture.image)
        #expect(
            fixture.observer.kinds().suffix(7) == [
                .started, .diskMiss(.stale), .queued(.download), .downloadStarted,
                .received(bytes: bytes, of: bytes),
                .validated(bytes: bytes), .succeeded(.validated),
            ])
    }

    @Test("offline, a stale response is returned and reported, and isn't stored in memory as fresh")
    func offline() async throws {
        var request = fixture.request("a", then: stale) { $0.cachePolicy = .diskOnly }
        _ = try await fixture.loader.image(for: request)
        request.cachePolicy = .all
        request.mode = .onlyIfCached
        fixture.wallTime.advance(10)
        #expect(try await fixture.loader.image(for: request).source == .stale)
        #expect(fixture.observer.kinds().contains(.staleHit(bytes: bytes)))
        #expect(fixture.memory.images.isEmpty)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("the disk is asked once: for the index, and for the body that is returned")
    func operations() async throws {
        func operations(_ reply: ScriptedTransport.Reply) async throws -> [String] {
            let count = fixture.disk.messages.count
            _ = try await fixture.loader.data(for: fixture.request("a", then: reply) { $0.cachePolicy = .diskOnly })
            return fixture.disk.messages.dropFirst(count).map { message in
                switch message {
                case .entry(let key): key.identifier.contains(" ") ? "read body" : "read index"
                case .store(let key, _): key.identifier.contains(" ") ? "write body" : "write index"
                default: "\(message)"
                }
            }
        }
        let cold = try await operations(stale)
        #expect(cold == ["read index", "write body", "read index", "write index"])
        fixture.wallTime.advance(10)
        let confirmation = ScriptedTransport.Reply.status(.notModified, headers: [.cacheControl: "max-age=60"])
        #expect(try await operations(confirmation) == ["read index", "read body", "read index", "write index"])
        #expect(try await operations(stale) == ["read index", "read body"])
    }

    @Test(
        "a stored body that can't be read completely is fetched again, and stored if the request may store",
        arguments: [(CacheAccess.readWrite, CacheUse(.reload)), (.readOnly, .none)])
    func damaged(_ access: CacheAccess, _ cacheUse: CacheUse) async throws {
        let fixture = LoaderFixture {
            $0.transport = .cached(TruncatedResponses(network: $0.transport))
        }
        let request = fixture.request("a") { $0.cachePolicy.disk = access }
        #expect(try await fixture.loader.data(for: request).source == .network)
        #expect(fixture.observer.kinds().contains(.diskMiss(.missingBytes)))
        #expect(fixture.transport.requests.map(\.cacheUse) == [cacheUse])
    }

    @Test("a reload sends Cache-Control: no-cache, unless the request has a Cache-Control header")
    func reloadHeader() async throws {
        var request = fixture.request("a") { $0.mode = .reload }
        _ = try await fixture.loader.data(for: request)
        request.headers["Cache-Control"] = "max-age=5"
        _ = try await fixture.loader.data(for: request)
        request = fixture.request("b")
        _ = try await fixture.loader.data(for: request)
        #expect(fixture.transport.requests.map { $0.headers[.cacheControl] } == ["no-cache", "max-age=5", nil])
    }

    @Test(
        "a failing store reports events, and images of URLs and fetches still load",
        arguments: [InMemoryDataCache.Operation.entry, .store])
    func brokenStore(_ operation: InMemoryDataCache.Operation) async throws {
        fixture.disk.fail(operation, with: .noSpace)
        for request in [fixture.request("a"), ImageRequest(.fetch(name: "a") { LoaderFixture.image })] {
            let before = fixture.observer.events.count
            #expect(try await fixture.loader.data(for: request).source == .network)
            #expect(fixture.observer.kinds().dropFirst(before).contains(.diskFailed(.noSpace)))
        }
        let reported = fixture.observer.events.filter { $0.kind == .diskFailed(.noSpace) }
        #expect(reported.allSatisfy { $0.requestID == nil })
    }
}

/// A cache whose bodies fail halfway.
private struct TruncatedResponses: ResponseCache {
    let network: any DataTransport

    func answer(to request: TransportRequest) async throws(TransportError) -> CacheAnswer {
        guard !request.cacheUse.isNone, !request.cacheUse.asksServer else {
            return .exchange(after: .policy) { () async throws(TransportError) in try await network.send(request) }
        }
        let broken = TransportBody(pull: { () async throws(TransportError) in
            throw .closedEarly(received: 1, expected: 2)
        })
        let head = ResponseHead(status: .ok, url: request.url)
        return .stored(TransportResponse(head: head, body: broken, source: .cache))
    }

    func removeStoredResponses(to request: TransportRequest) async {}
}
