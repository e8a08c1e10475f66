import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Fresh and stale responses")
struct FreshAndStaleTests {
    private let test = CachingFixture()

    @Test("returns a fresh response with its age, without contacting the server")
    func fresh() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60", "X-Kept: yes"))
        #expect(try await test.get().source == .network)
        test.time.advance(59)
        let again = try await test.get()
        #expect(again.source == .cache && again.text == "one")
        #expect(again.headers[.age] == "59" && again.headers[HTTPField.Name("X-Kept")!] == "yes")
        #expect(test.server.sendCount == 1)
    }

    @Test("validates a stale response, and stores the newer fields of the 304")
    func confirmed() async throws {
        let modified = "Last-Modified: Tue, 14 Nov 2023 00:00:00 GMT"
        test.script(
            "/a", .text("one", "Cache-Control: max-age=60", "ETag: \"1\"", modified, "X-Version: first", "X-Kept: yes"),
            .text(
                "", "Cache-Control: max-age=90, no-cache=X-Kept", "Date: Wed, 15 Nov 2023 12:01:01 GMT",
                "X-Version: then",
                status: .notModified))
        _ = try await test.get()
        test.time.advance(61)
        let validated = try await test.get()
        #expect(validated.source == .validated && validated.status == 200 && validated.text == "one")
        #expect(validated.headers[HTTPField.Name("X-Version")!] == "then")
        #expect(validated.headers[HTTPField.Name("X-Kept")!] == "yes")
        #expect(test.server.cancellationCount == 0, "the connection of the 304 can be used again")
        let asked = try #require(test.server.requests.last).headers
        #expect(asked[.ifNoneMatch] == "\"1\"" && asked[.ifModifiedSince] == "Tue, 14 Nov 2023 00:00:00 GMT")
        test.time.advance(89)
        let relaunched = CachingFixture(disk: test.disk, time: test.time)
        let again = try await relaunched.get()
        #expect(again.source == .cache && again.text == "one" && again.headers[HTTPField.Name("X-Version")!] == "then")
        #expect(again.headers[HTTPField.Name("X-Kept")!] == nil)
    }

    @Test("a response says until when it is fresh, and not for longer after the clock was set back")
    func freshUntil() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60", "Age: 10"))
        for source in [ResponseSource.network, .cache] {
            let response = try await test.transport.send(CachingFixture.request("/a"))
            #expect(response.source == source && response.isStored && response.head.freshUntil == noon + 50)
            _ = try await Received(response)
            test.time.advance(5)
        }
        test.time.advance(-20)
        let offline = CachingFixture.request("/a") { $0.cacheUse = CacheUse(.onlyIfCached) }
        #expect(try await test.transport.send(offline).head.freshUntil == noon + 40)
    }

    @Test(
        "what was stored while the clock was ahead is validated once, and then fresh for its lifetime",
        arguments: [HTTPResponse.Status.ok, .notFound, .movedPermanently], [true, false])
    func clockAhead(_ status: HTTPResponse.Status, _ hasLifetime: Bool) async throws {
        let test = CachingFixture(policy: RFC9111Policy(defaultLifetime: .seconds(60)))
        let headers = HTTPFields(hasLifetime ? ["Cache-Control: max-age=60"] : [])
        let reply = ScriptedTransport.Reply(
            status: status, headers: headers, announcedByteCount: 3, body: [.piece(Data("one".utf8))])
        test.script("/a", reply)
        test.time.advance(315_360_000)
        _ = try await test.get()
        test.time.advance(-315_360_000)
        #expect(try await test.stored() == nil)
        #expect(try await test.stored(acceptsStale: true)?.text == "one")
        _ = try await test.get()
        #expect(test.server.sendCount == 2)
        test.time.advance(hasLifetime || status != .movedPermanently ? 59 : 0)
        #expect(try await test.stored()?.headers[.age] == (hasLifetime || status != .movedPermanently ? "59" : "0"))
    }

    @Test("replaces a stale response by a newer one")
    func replaced() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""),
            .text("two", "Cache-Control: max-age=600", "ETag: \"2\""))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get().text == "two")
        let again = try await test.get()
        #expect(again.text == "two" && again.source == .cache)
        #expect(test.entryCount == 2, "the older body is removed")
    }

    @Test("repeats the request without conditions after a 304 for a different response")
    func mismatched() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""),
            .text("", "ETag: \"9\"", status: .notModified),
            .text("two"))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get().text == "two")
        #expect(test.server.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", nil])
    }

    @Test("does not store a no-store response, and removes the one it replaces")
    func noStore() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""), .text("two", "Cache-Control: no-store"))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get().text == "two")
        #expect(try await test.stored(acceptsStale: true) == nil)
    }

    @Test("stores nothing of a no-store response, not even its URL")
    func noTrace() async throws {
        test.script("/a", .text("one", "Cache-Control: no-store"))
        _ = try await test.get()
        #expect(test.entryCount == 0)
    }

    @Test("a reload fetches without conditions and stores, and a bypass neither reads nor writes the cache")
    func uses() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=60", "ETag: \"1\""), .text("two", "Cache-Control: max-age=60"))
        #expect(try await test.get { $0.cacheUse = .none }.text == "one")
        #expect(test.entryCount == 0)
        #expect(try await test.get().text == "two")
        test.script("/a", .text("three", "Cache-Control: max-age=60"))
        #expect(try await test.get { $0.cacheUse = .none }.text == "three")
        #expect(try await test.get().text == "two")
        #expect(try await test.get { $0.cacheUse.mode = .reload }.text == "three")
        #expect(try await test.get().text == "three")
        #expect(test.server.requests.allSatisfy { $0.headers[.ifNoneMatch] == nil })
    }

    @Test("max-stale returns a stale response, with stale as its source")
    func maxStale() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60"))
        _ = try await test.get()
        test.time.advance(100)
        #expect(try await test.get("/a", "Cache-Control: max-stale=50").source == .stale)
        #expect(test.server.sendCount == 1)
    }

    @Test("only-if-cached returns 504 unless a fresh response is stored")
    func onlyIfCached() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60"))
        #expect(try await test.get("/a", "Cache-Control: only-if-cached").status == 504)
        _ = try await test.get()
        #expect(try await test.get("/a", "Cache-Control: only-if-cached").text == "one")
        #expect(test.server.sendCount == 1)
    }

    @Test("applies a custom policy")
    func policies() async throws {
        let fixed = CachingFixture(policy: FixedLifetimePolicy(lifetime: .seconds(60)))
        fixed.script("/a", .text("one", "Cache-Control: no-store"))
        _ = try await fixed.get()
        #expect(try await fixed.get().source == .cache)
    }
}
