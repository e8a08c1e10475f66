import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Retries and stored responses", .timeLimit(.minutes(10)))
struct StoredFailureTests {
    private let fixture = LoaderFixture(retries: 2)

    /// Ends a request whose attempts wait this many times.
    private func load(_ request: ImageRequest, waits: Int, _ fixture: LoaderFixture) async -> Result<
        ImageSource, any Error
    > {
        let task = Task { try await fixture.loader.data(for: request).source }
        for _ in 0..<waits {
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(2))
        }
        return await task.result
    }

    @Test(
        "each retry asks the origin, although the cache has stored the failure; a new request doesn't",
        arguments: [408, 425, 429, 500, 502, 503, 504],
        [
            [.cacheControl: "max-age=60"], [.cacheControl: "public, max-age=60, immutable", .eTag: "\"1\""],
            [.expires: "Fri, 31 Dec 2100 00:00:00 GMT", .date: "Tue, 14 Nov 2023 22:13:20 GMT"],
        ] as [HTTPFields])
    func statuses(_ status: Int, _ headers: HTTPFields) async {
        let request = fixture.request("a", then: .status(.init(code: status), headers: headers))
        let result = await load(request, waits: 2, fixture)
        #expect(throws: ImageError.self) { try result.get() }
        #expect(fixture.transport.sendCount == 3)
        await #expect(throws: ImageError.self) { try await fixture.loader.data(for: request) }
        #expect(fixture.transport.sendCount == 3)
    }

    @Test("a retry asks the origin of a stored redirect to a dead target, with or without a network in between")
    func redirects() async throws {
        let connectivity = SettableConditionMonitor(Connectivity.online)
        for isOffline in [false, true] {
            let fixture = LoaderFixture(retries: 1) { $0.connectivityMonitor = connectivity }
            let dead = fixture.request("dead", then: .refused)
            let moved = ScriptedTransport.Reply.status(
                .movedPermanently,
                headers: [.location: dead.address.absoluteString, .cacheControl: "max-age=600"])
            let request = fixture.request("a", first: moved)
            connectivity.condition = isOffline ? .offline : .online
            let task = Task { await load(request, waits: isOffline ? 0 : 1, fixture) }
            await fixture.transport.waitForSends(2)
            if isOffline {
                await becomesTrue { fixture.observer.kinds().contains(.waitingForNetwork) }
                connectivity.condition = .online
            }
            #expect(try await task.value.get() == .network)
            let names = fixture.transport.requests.map(\.url.lastPathComponent)
            #expect(names == ["a", "dead", "a"])
        }
    }

    @Test("a retry returns the stale image if the origin can't be reached any more")
    func fallback() async throws {
        let fixture = LoaderFixture(retries: 1)
        let stale = ScriptedTransport.Reply.ok(LoaderFixture.image, headers: [.cacheControl: "max-age=0"])
        let url = fixture.request("a").address
        fixture.transport.script(
            url, stale, .status(.internalServerError, headers: [.cacheControl: "max-age=60"]), .refused)
        let request = ImageRequest(url: url)
        _ = try await fixture.loader.data(for: request)
        #expect(try await load(request, waits: 1, fixture).get() == .stale)
    }

    @Test(
        "a request in the mode retry asks the origin after a stored error, and a plain one doesn't",
        arguments: [404, 410])
    func userRetry(_ status: Int) async throws {
        var request = fixture.request("a", first: .status(.init(code: status)), then: .ok(LoaderFixture.image))
        for _ in 0..<2 { await #expect(throws: ImageError.self) { try await fixture.loader.image(for: request) } }
        #expect(fixture.transport.sendCount == 1)
        request.mode = .ignoringStoredErrors
        #expect(try await fixture.loader.image(for: request).source == .network)
        #expect(fixture.transport.sendCount == 2)
        #expect(fixture.loader.cachedImage(for: request) != nil)
        request.mode = .standard
        #expect(fixture.loader.cachedImage(for: request) != nil)
    }

    @Test("a request in the mode retry returns the stored image if the origin can't be reached")
    func userRetryInVain() async throws {
        var request = fixture.request("a", first: .ok(LoaderFixture.image), then: .status(.serviceUnavailable))
        _ = try await fixture.loader.data(for: request)
        request.mode = .ignoringStoredErrors
        #expect(try await fixture.loader.data(for: request).source == .stale)
        #expect(fixture.transport.sendCount == 2)
    }
}
