import Foundation
import HTTPTypes
import ImageHTTPCaching
import ImageTesting
import ImageTransporting
import Testing

@Suite("What is stored answers while it is fresh, and is validated when it is stale")
struct FreshAndStaleTests {
    private let test = CachedOrigin()

    @Test("a fresh response answers without the origin, with its age")
    func fresh() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60", "X-Kept: yes"))
        #expect(try await test.get().source == .network)
        test.time.advance(59)
        let again = try await test.get()
        #expect(again.source == .cache && again.text == "one")
        #expect(again.headers[.age] == "59" && again.headers[HTTPField.Name("X-Kept")!] == "yes")
        #expect(test.origin.sendCount == 1)
    }

    @Test("a stale response is asked about with its validators; a 304 makes it fresh, with newer fields, on disk too")
    func confirmed() async throws {
        let modified = "Last-Modified: Tue, 14 Nov 2023 00:00:00 GMT"
        test.script(
            "/a", .text("one", "Cache-Control: max-age=60", "ETag: \"1\"", modified, "X-Told: first"),
            .text(
                "", "Cache-Control: max-age=90", "Date: Wed, 15 Nov 2023 12:01:01 GMT", "X-Told: then",
                status: .notModified))
        _ = try await test.get()
        test.time.advance(61)
        let validated = try await test.get()
        #expect(validated.source == .validated && validated.status == 200 && validated.text == "one")
        #expect(validated.headers[HTTPField.Name("X-Told")!] == "then")
        let asked = try #require(test.origin.requests.last).headers
        #expect(asked[.ifNoneMatch] == "\"1\"" && asked[.ifModifiedSince] == "Tue, 14 Nov 2023 00:00:00 GMT")
        test.time.advance(89)
        let relaunched = CachedOrigin(disk: test.disk, time: test.time)
        let again = try await relaunched.get()
        #expect(again.source == .cache && again.text == "one" && again.headers[HTTPField.Name("X-Told")!] == "then")
    }

    @Test("a newer response takes the place of the stale one")
    func replaced() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""),
            .text("two", "Cache-Control: max-age=600", "ETag: \"2\""))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get().text == "two")
        let again = try await test.get()
        #expect(again.text == "two" && again.source == .cache)
        #expect(test.entryCount == 2, "the older body is gone")
    }

    @Test("a 304 about another response is not believed: the origin is asked without conditions")
    func misunderstood() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""),
            .text("", "ETag: \"9\"", status: .notModified),
            .text("two"))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get().text == "two")
        #expect(test.origin.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", nil])
    }

    @Test("a response with neither lifetime nor validator is asked for each time")
    func noLifetime() async throws {
        test.script("/a", .text("one"))
        _ = try await test.get()
        #expect(try await test.get().source == .network)
    }

    @Test("what may not be stored leaves nothing, nor what it takes the place of")
    func noStore() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""), .text("two", "Cache-Control: no-store"))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get().text == "two")
        #expect(try await test.stored(acceptsStale: true) == nil)
    }

    @Test("of what may not be stored nothing is kept, not even the address")
    func noTrace() async throws {
        test.script("/a", .text("one", "Cache-Control: no-store"))
        _ = try await test.get()
        #expect(test.entryCount == 0)
    }

    @Test("a reload asks without conditions and stores; a bypass does neither read nor write")
    func uses() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=60", "ETag: \"1\""), .text("two", "Cache-Control: max-age=60"))
        #expect(try await test.get { $0.cacheUse = .bypass }.text == "one")
        #expect(test.entryCount == 0)
        #expect(try await test.get().text == "two")
        test.script("/a", .text("three", "Cache-Control: max-age=60"))
        #expect(try await test.get { $0.cacheUse = .bypass }.text == "three")
        #expect(try await test.get().text == "two")
        #expect(try await test.get { $0.cacheUse = .reload }.text == "three")
        #expect(try await test.get().text == "three")
        #expect(test.origin.requests.allSatisfy { $0.headers[.ifNoneMatch] == nil })
    }

    @Test("the request's own directives are obeyed", arguments: ["no-cache", "max-age=0", "min-fresh=61"])
    func requestDirectives(_ directive: String) async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60"))
        _ = try await test.get()
        #expect(try await test.get("/a", "Cache-Control: \(directive)").source == .network)
    }

    @Test("max-stale takes a stale response without asking, and says so")
    func maxStale() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60"))
        _ = try await test.get()
        test.time.advance(100)
        #expect(try await test.get("/a", "Cache-Control: max-stale=50").source == .stale)
        #expect(test.origin.sendCount == 1)
    }

    @Test("only-if-cached is 504 where nothing fresh is stored, and nobody is asked")
    func onlyIfCached() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60"))
        #expect(try await test.get("/a", "Cache-Control: only-if-cached").status == 504)
        _ = try await test.get()
        #expect(try await test.get("/a", "Cache-Control: only-if-cached").text == "one")
        #expect(test.origin.sendCount == 1)
    }

    @Test(
        "404 and 410 answer for a minute, or as long as the origin says",
        arguments: [HTTPResponse.Status.notFound, .gone])
    func negative(_ status: HTTPResponse.Status) async throws {
        test.script("/a", .text("none", status: status), .text("one", "Cache-Control: max-age=1"))
        test.script("/b", .text("none", "Cache-Control: max-age=5", status: status))
        _ = try await test.get()
        _ = try await test.get("/b")
        test.time.advance(10)
        #expect(try await test.get("/b").source == .network)
        test.time.advance(49)
        #expect(try await test.get().status == status.code)
        test.time.advance(2)
        #expect(try await test.get().text == "one")
    }

    @Test("a policy that the application picks decides")
    func policies() async throws {
        let fixed = CachedOrigin(policy: FixedLifetimePolicy(lifetime: .seconds(60)))
        fixed.script("/a", .text("one", "Cache-Control: no-store"))
        _ = try await fixed.get()
        #expect(try await fixed.get().source == .cache)
        let never = CachedOrigin(policy: NeverStorePolicy())
        never.script("/a", .text("one", "Cache-Control: max-age=60"))
        _ = try await never.get()
        #expect(try await never.get().source == .network)
    }
}
