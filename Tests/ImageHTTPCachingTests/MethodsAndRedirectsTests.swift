import Foundation
import HTTPTypes
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Methods other than GET, and redirects")
struct MethodsAndRedirectsTests {
    private let test = CachingFixture()

    @Test("answers HEAD from a stored GET, without a body")
    func headFromStored() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60", "ETag: \"1\""))
        _ = try await test.get()
        let head = try await test.get { $0.method = .head }
        #expect(head.source == .cache && head.text.isEmpty && head.headers[.eTag] == "\"1\"")
    }

    @Test("a HEAD updates the stored response, or removes it if it is different")
    func headUpdates() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""),
            .text("", "Cache-Control: max-age=600", "ETag: \"1\"", "Date: Wed, 15 Nov 2023 12:00:02 GMT"),
            .text("", "ETag: \"2\""))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get { $0.method = .head }.source == .network)
        #expect(test.server.requests.last?.headers[.ifNoneMatch] == nil)
        #expect(try await test.get().text == "one")
        #expect(test.server.sendCount == 2)
        test.time.advance(700)
        _ = try await test.get { $0.method = .head }
        #expect(try await test.stored(acceptsStale: true) == nil)
    }

    @Test(
        "a HEAD that fails or selects another variant changes nothing",
        arguments: [("Accept: a", HTTPResponse.Status.serviceUnavailable), ("Accept: b", .ok)])
    func headOfOthers(_ line: String, _ status: HTTPResponse.Status) async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\"", "Vary: Accept"),
            .text("", "ETag: \"2\"", "Vary: Accept", status: status))
        _ = try await test.get("/a", "Accept: a")
        test.time.advance(2)
        _ = try await test.get("/a", line) { $0.method = .head }
        #expect(try await test.stored("/a", "Accept: a", acceptsStale: true)?.text == "one")
    }

    @Test("a HEAD stores nothing")
    func headAlone() async throws {
        test.script("/a", .text("", "Cache-Control: max-age=60"))
        _ = try await test.get { $0.method = .head }
        #expect(test.entryCount == 0)
    }

    @Test("an unsafe method invalidates its URL, and URLs of the same server in Location and Content-Location")
    func invalidation() async throws {
        for path in ["/a", "/b", "/c", "/d"] { test.script(path, .text(path, "Cache-Control: max-age=60")) }
        for path in ["/a", "/b", "/c", "/d"] { _ = try await test.get(path) }
        test.script("/a", .text("done", "Location: /b", "Content-Location: https://images.test/c"))
        let done = try await test.get { ($0.method, $0.followsRedirects) = (.post, false) }
        #expect(done.text == "done" && done.source == .network)
        for path in ["/a", "/b", "/c"] { #expect(try await test.stored(path) == nil) }
        #expect(try await test.stored("/d") != nil)
    }

    @Test("an unsafe method invalidates no URL of another server, port or scheme")
    func invalidationOfOthers() {
        let url = CachingFixture.url("/a")
        for other in ["https://other.test/b", "https://images.test:8443/b", "http://images.test/b"] {
            let answer = head(["Location: \(other)", "Content-Location: /c"])
            let urls = CacheInvalidation.invalidatedURLs(by: .post, of: url, response: answer)
            #expect(urls == [url, CachingFixture.url("/c")])
            for method in [HTTPRequest.Method.get, .head, .options, .trace] {
                #expect(CacheInvalidation.invalidatedURLs(by: method, of: url, response: answer).isEmpty)
            }
        }
    }

    @Test("an unsafe request with credentials also invalidates what was stored without them")
    func invalidatesAnonymous() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60"), .text("done"))
        _ = try await test.get()
        _ = try await test.get("/a", "Authorization: Bearer 1") { $0.method = .post }
        #expect(try await test.stored() == nil)
    }

    @Test("stores bodies as received apart from decoded ones, and invalidates both")
    func bodiesAsReceived() async throws {
        let fresh = "Cache-Control: max-age=60"
        test.script("/a", .text("coded", fresh), .text("decoded", fresh), .text("done"))
        for _ in 0..<2 {
            #expect(try await test.get { $0.decodesContent = false }.text == "coded")
            #expect(try await test.get().text == "decoded")
        }
        #expect(test.server.requests.count == 2)
        _ = try await test.get { $0.method = .post }
        #expect(try await test.get().text == "done")
        #expect(try await test.get { $0.decodesContent = false }.text == "done")
    }

    @Test("an invalidation while the clock was ahead doesn't prevent storing")
    func invalidatedAhead() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=60"), .text("done"), .text("two", "Cache-Control: max-age=60"))
        test.time.advance(86_400)
        _ = try await test.get()
        _ = try await test.get { $0.method = .post }
        test.time.advance(-86_400)
        _ = try await test.get()
        #expect(try await test.stored()?.text == "two")
    }

    @Test("a failed unsafe method invalidates nothing")
    func failedInvalidation() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60"), .text("no", status: .forbidden))
        _ = try await test.get()
        _ = try await test.get { $0.method = .delete }
        #expect(try await test.stored()?.text == "one")
    }

    @Test("does not store a pending response after its URL is invalidated")
    func invalidatedMeanwhile() async throws {
        let gate = TestGate()
        let pending = ScriptedTransport.Reply(
            headers: ["Cache-Control": "max-age=60"].fields, body: [.wait(gate), .piece(Data("old".utf8))])
        test.script("/a", pending, .text("changed"))
        let response = try await test.transport.send(CachingFixture.request("/a"))
        test.time.advance(1)
        _ = try await test.get { $0.method = .put }
        gate.open()
        #expect(try await Received(response).text == "old")
        #expect(try await test.stored(acceptsStale: true) == nil)
    }

    @Test(
        "stores each hop of a redirect separately",
        arguments: [HTTPResponse.Status.movedPermanently, .permanentRedirect])
    func redirects(_ status: HTTPResponse.Status) async throws {
        test.script("/a", .text("see b", "Location: /b", "Cache-Control: max-age=600", status: status))
        test.script("/b", .text("one", "Cache-Control: max-age=1"))
        let first = try await test.transport.send(CachingFixture.request("/a"))
        #expect(first.head.url == CachingFixture.url("/b") && first.redirects.map(\.status) == [status])
        #expect(try await Received(first).text == "one")
        let second = try await test.transport.send(CachingFixture.request("/a"))
        #expect(second.source == .cache && second.redirects.map(\.status) == [status])
        #expect(try await test.stored()?.text == "one")
        test.time.advance(2)
        #expect(try await test.get().source == .network)
        #expect(test.server.requests.map(\.url.path) == ["/a", "/b", "/b"])
    }

    @Test("the target of a redirect is not stored under the identifier of the first URL")
    func identifierOfRedirect() async throws {
        test.script("/a", .text("see b", "Location: /b", "Cache-Control: max-age=600", status: .movedPermanently))
        test.script("/b", .text("one", "Cache-Control: max-age=600"))
        #expect(try await test.get { $0.identifier = "name" }.text == "one")
        #expect(try await test.get("/b").source == .cache)
    }

    @Test("stores a redirect with a lifetime, whatever its status, and no other")
    func temporaryRedirects() async throws {
        test.script("/a", .text("see c", "Location: /c", status: .found))
        test.script("/b", .text("", "Location: /c", "Cache-Control: max-age=60", status: .temporaryRedirect))
        test.script("/c", .text("one", "Cache-Control: max-age=60"))
        for _ in 0..<2 {
            _ = try await test.get("/a")
            _ = try await test.get("/b")
        }
        #expect(test.server.requests.map(\.url.path) == ["/a", "/c", "/b", "/a"])
        #expect(test.server.cancellationCount == 0, "the body of a redirect lets its connection be used again")
    }

    @Test("returns a redirect as a response if the request does not follow redirects")
    func manualRedirects() async throws {
        test.script("/a", .text("see b", "Location: /b", "Cache-Control: max-age=60", status: .movedPermanently))
        for source in [ResponseSource.network, .cache] {
            let response = try await test.get { $0.followsRedirects = false }
            #expect(response.status == 301 && response.text == "see b" && response.source == source)
        }
    }

    @Test("fails on a loop of stored redirects")
    func loop() async throws {
        test.script("/a", .text("", "Location: /b", "Cache-Control: max-age=60", status: .movedPermanently))
        test.script("/b", .text("", "Location: /a", "Cache-Control: max-age=60", status: .movedPermanently))
        for _ in 0..<2 { await #expect(throws: TransportError.self) { try await test.get() } }
        #expect(test.server.sendCount == 2)
        #expect(try await test.stored() == nil)
    }

    @Test("follows a redirect to another form of its URL, and stores only the target")
    func normalizingRedirect() async throws {
        let lines = ["Location: /%7Ea", "Cache-Control: max-age=60"]
        test.script("/%7ea", .text("", lines[0], lines[1], status: .movedPermanently))
        test.script("/%7Ea", .text("one", "Cache-Control: max-age=60", "ETag: \"1\""), .text("", status: .notModified))
        for source in [ResponseSource.network, .cache] {
            let response = try await test.get("/%7ea")
            #expect(response.text == "one" && response.source == source)
        }
        test.time.advance(61)
        #expect(try await test.get("/%7ea").source == .validated)
        #expect(test.server.requests.map { $0.url.path(percentEncoded: true) } == ["/%7ea", "/%7Ea", "/%7ea", "/%7Ea"])
    }

    @Test("removing a response also removes the redirect target, fresh or stale")
    func removal() async throws {
        test.script("/a", .text("", "Location: /b", "Cache-Control: max-age=60", status: .movedPermanently))
        test.script("/b", .text("one", "Cache-Control: max-age=60"))
        _ = try await test.get()
        test.time.advance(61)
        await test.transport.removeStoredResponses(to: CachingFixture.request("/a"))
        #expect(test.entryCount == 0)
    }

    @Test(
        "a response that is downloaded while it is removed is not stored, and a later one is", arguments: ["/a", "/b"])
    func removalDuringDownload(_ held: String) async throws {
        let gate = TestGate()
        if held == "/b" {
            test.script("/a", .text("", "Location: /b", "Cache-Control: max-age=60", status: .movedPermanently))
        }
        test.script(held, .fresh([.wait(gate), .piece(Data("old".utf8))]), .text("new", "Cache-Control: max-age=60"))
        async let old = test.get()
        await gate.waitForArrivals(1)
        test.time.advance(1)
        await test.transport.removeStoredResponses(to: CachingFixture.request("/a"))
        gate.open()
        #expect(try await old.text == "old")
        #expect(test.entryCount == 0)
        for source in [ResponseSource.network, .cache] {
            let response = try await test.get()
            #expect(response.text == "new" && response.source == source)
        }
    }

    @Test("answers conditional and range requests from a fresh response")
    func conditions() async throws {
        test.script("/a", .text("0123456789", "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 10"))
        _ = try await test.get()
        let part = try await test.get("/a", "Range: bytes=2-4")
        #expect(part.status == 206 && part.text == "234" && part.headers[.contentRange] == "bytes 2-4/10")
        let head = try await test.transport.send(CachingFixture.request("/a", ["Range: bytes=2-4"])).head
        #expect(head.expectedByteCount == 3)
        let known = try await test.get("/a", "If-None-Match: \"1\"")
        #expect(known.status == 304 && known.text.isEmpty && known.headers[.eTag] == "\"1\"" && known.source == .cache)
        #expect(try await test.get("/a", "If-None-Match: \"2\"").text == "0123456789")
        #expect(test.server.sendCount == 1)
    }

    @Test(
        "otherwise sends them unchanged, and does not store the response",
        arguments: [
            "Range: bytes=0-1", "If-None-Match: \"1\"", "If-Modified-Since: Tue, 14 Nov 2023 00:00:00 GMT",
            "If-Match: \"1\"",
        ])
    func passedBy(_ line: String) async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""), .text("o", status: .partialContent))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get("/a", line).status == 206)
        #expect(test.server.requests.last?.headers == HTTPFields([line]))
        #expect(try await test.stored(acceptsStale: true)?.text == "one")
    }
}

extension [String: String] {
    fileprivate var fields: HTTPFields { HTTPFields(map { "\($0.key): \($0.value)" }) }
}
