import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Stale responses during outages and revalidation")
struct OutageTests {
    private let test = CachingFixture()

    @Test("returns the stale response if the server is unavailable, without a request to it")
    func unavailable() async throws {
        let test = CachingFixture(threshold: 1)
        test.script("/a", .text("one", "Cache-Control: max-age=1"))
        test.script("/b", .text("one", "Cache-Control: max-age=1, must-revalidate"))
        test.script("/c", .refused)
        _ = try await test.get("/a")
        _ = try await test.get("/b")
        await #expect(throws: TransportError.connectionFailed("connection refused")) { try await test.get("/c") }
        test.time.advance(2)
        #expect(try await test.get("/a").source == .stale)
        let failure = await #expect(throws: TransportError.self) { try await test.get("/b") }
        guard case .serverUnavailable = failure else {
            Issue.record("failed with \(String(describing: failure))")
            return
        }
        #expect(test.server.sendCount == 3)
    }

    @Test("must-revalidate and no-cache forbid stale responses", arguments: ["must-revalidate", "no-cache"])
    func forbidden(_ directive: String) async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=1, \(directive)"), .failure(.timedOut(.head)))
        _ = try await test.get()
        test.time.advance(2)
        await #expect(throws: TransportError.timedOut(.head)) { try await test.get() }
    }

    @Test("must-revalidate forbids a stale response that stale-while-revalidate or max-stale would allow")
    func forbiddenWithoutOutage() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1, must-revalidate, stale-while-revalidate=60"), .text("two"))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.stored("/a", "Cache-Control: max-stale") == nil)
        #expect(try await test.get().text == "two")
    }

    @Test(
        "throws cancellation and TLS failures",
        arguments: [TransportError.cancelled, .tls("self-signed")])
    func reported(_ failure: TransportError) async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=1, stale-if-error=60"), .failure(failure))
        _ = try await test.get()
        test.time.advance(2)
        await #expect(throws: failure) { try await test.get() }
    }

    @Test("replaces a server error by a stale response only within stale-if-error")
    func staleIfError() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1, stale-if-error=60"),
            .text("busy", status: .serviceUnavailable))
        test.script("/b", .text("one", "Cache-Control: max-age=1"), .text("busy", status: .serviceUnavailable))
        _ = try await test.get("/a")
        _ = try await test.get("/b")
        test.time.advance(2)
        #expect(try await test.get("/a").text == "one")
        let isReleased = test.server.messages.contains(.cancelled(CachingFixture.url("/a")))
        #expect(!isReleased, "the body of the error is discarded, which lets the connection be used again")
        #expect(try await test.get("/b").status == 503)
        test.time.advance(60)
        #expect(try await test.get("/a").status == 503)
        #expect(
            try await test.stored("/b", acceptsStale: true)?.text == "one",
            "an error does not remove the stored response")
    }

    @Test(
        "stale-while-revalidate returns the stale response and revalidates it once in the background, by a plain GET",
        arguments: [HTTPRequest.Method.get, .head], ["X-A: 1", "If-None-Match: \"1\"", "Range: bytes=0-1"])
    func staleWhileRevalidate(_ method: HTTPRequest.Method, _ line: String) async throws {
        let deferred = DeferredWork()
        let test = CachingFixture { $0.runInBackground = { deferred.append($1) } }
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1, stale-while-revalidate=60", "ETag: \"1\""),
            .text("two", "Cache-Control: max-age=600"))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get("/a", line) { $0.method = method }.source == .stale)
        #expect(try await test.stored()?.source == .stale)
        #expect(test.server.sendCount == 1 && deferred.count == 1)
        await deferred.run()
        let sent = try #require(test.server.requests.last)
        #expect(sent.method == .get && sent.headers[.ifNoneMatch] == "\"1\"" && sent.headers[.range] == nil)
        #expect(test.revalidations == [.revalidated(CachingFixture.url("/a"), .replaced(status: 200))])
        let newer = try await test.get()
        #expect(newer.source == .cache && newer.text == "two")
        test.script(
            "/b", .text("one", "Cache-Control: max-age=1, stale-while-revalidate=60"), .text("", status: .gone))
        _ = try await test.get("/b")
        test.time.advance(2)
        #expect(try await test.get("/b").source == .stale)
        await deferred.run()
        #expect(test.revalidations.last == .revalidated(CachingFixture.url("/b"), .replaced(status: 410)))
    }

    @Test("a request that stores nothing uses the stale response and starts no revalidation")
    func readOnly() async throws {
        let deferred = DeferredWork()
        let test = CachingFixture { $0.runInBackground = { deferred.append($1) } }
        test.script("/a", .text("one", "Cache-Control: max-age=1, stale-while-revalidate=60"))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get { $0.cacheUse.access = .readOnly }.source == .stale)
        #expect(deferred.count == 0)
    }

    @Test("a request that stores nothing doesn't validate a stale response, whose 304 would be stored")
    func readOnlyAndStale() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=1", "ETag: \"1\""), .text("two"))
        _ = try await test.get()
        test.time.advance(5)
        #expect(try await test.get { $0.cacheUse.access = .readOnly }.text == "two")
        #expect(test.server.requests.last?.headers[.ifNoneMatch] == nil)
        #expect(try await test.stored(acceptsStale: true)?.text == "one")
    }

    @Test("reports the outcome of a revalidation in the background", arguments: [true, false])
    func outcomes(_ isConfirmed: Bool) async throws {
        let deferred = DeferredWork()
        let test = CachingFixture { $0.runInBackground = { deferred.append($1) } }
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1, stale-while-revalidate=60", "ETag: \"1\""),
            isConfirmed ? .text("", status: .notModified) : .failure(.connectionLost("reset")))
        _ = try await test.get()
        for _ in 0..<2 {
            test.time.advance(2)
            _ = try await test.get()
            await deferred.run()
        }
        let outcome = isConfirmed ? RevalidationOutcome.confirmed : .failed(.connectionLost("reset"))
        let event = CachingEvent.revalidated(CachingFixture.url("/a"), outcome)
        #expect(test.revalidations == [event, event])
    }

    @Test("the cache answers with a fresh response, or a stale one if only it is asked, without contacting the server")
    func offline() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60, must-revalidate"))
        #expect(try await test.stored(acceptsStale: true) == nil)
        _ = try await test.get()
        #expect(try await test.stored()?.source == .cache)
        test.time.advance(61)
        #expect(try await test.stored() == nil)
        let shown = try await test.stored(acceptsStale: true)
        #expect(shown?.source == .stale && shown?.text == "one")
        #expect(test.server.sendCount == 1)
    }

    // MARK: Requests that are sent again after a failure

    /// Sends a request with `CacheUse.revalidate`.
    private func retry(_ path: String = "/a") async throws -> Received {
        try await test.get(path) { $0.cacheUse.mode = .ignoringStoredErrors }
    }

    @Test("asks the server although the stored response is fresh, with its validator")
    func revalidatesFresh() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=600", "ETag: \"1\""), .text("", status: .notModified),
            .text("two", "Cache-Control: max-age=600"))
        _ = try await test.get()
        let confirmed = try await retry()
        #expect(confirmed.source == .validated && confirmed.text == "one")
        #expect(test.server.requests.last?.headers[.ifNoneMatch] == "\"1\"")
        #expect(try await retry().text == "two")
        #expect(try await test.get().source == .cache)
    }

    @Test(
        "returns the stored response if the server can't be reached or responds with 503",
        arguments: [ScriptedTransport.Reply.refused, .status(.serviceUnavailable)], [1, 600])
    func revalidatesInVain(_ reply: ScriptedTransport.Reply, lifetime: Int) async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=\(lifetime), stale-if-error=60"), reply)
        _ = try await test.get()
        test.time.advance(2)
        let shown = try await retry()
        #expect(shown.source == .stale && shown.text == "one")
    }

    @Test("never returns a stored error, fresh or stale, or its confirmation", arguments: [404, 410, 429, 500, 503])
    func storedErrors(_ status: Int) async throws {
        let reply = ScriptedTransport.Reply.text(
            "no", "Cache-Control: max-age=60, immutable, stale-if-error=600", "ETag: \"1\"",
            status: .init(code: status))
        test.script("/a", reply, .refused)
        #expect(try await test.get().status == status)
        #expect(try await test.get().source == .cache)
        for _ in 0..<2 {
            await #expect(throws: TransportError.connectionFailed("connection refused")) { try await retry() }
            test.time.advance(61)
        }
        #expect(test.server.requests.allSatisfy { !$0.headers.contains(.ifNoneMatch) })
    }

    @Test("a stored error that has expired doesn't replace a failure", arguments: [404, 410, 503])
    func expiredErrors(_ status: Int) async throws {
        let reply = ScriptedTransport.Reply.text(
            "no", "Cache-Control: max-age=60, stale-if-error=600", "ETag: \"1\"", status: .init(code: status))
        test.script("/a", reply, .refused)
        _ = try await test.get()
        test.time.advance(61)
        await #expect(throws: TransportError.connectionFailed("connection refused")) { try await test.get() }
    }

    @Test("asks each server of stored redirects", arguments: [301, 302, 307, 308])
    func storedRedirects(_ status: Int) async throws {
        let moved = ScriptedTransport.Reply.text(
            "", "Cache-Control: max-age=600", "Location: /dead", status: .init(code: status))
        test.script("/a", moved, .text("one"))
        test.script("/dead", .refused)
        await #expect(throws: TransportError.self) { try await test.get() }
        #expect(try await retry().text == "one")
        #expect(test.server.requests.map { $0.url.path() } == ["/a", "/dead", "/a"])
    }

    @Test("a 404 or 410 replaces a stored image", arguments: [404, 410])
    func gone(_ status: Int) async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1"),
            .text("", "Cache-Control: max-age=600", status: .init(code: status)), .refused)
        _ = try await test.get()
        test.time.advance(2)
        for _ in 0..<2 { #expect(try await test.get().status == status) }
    }

    @Test("an error doesn't replace a stored image, whatever its lifetime", arguments: [403, 429, 500, 503])
    func errorsAfterImage(_ status: Int) async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1"),
            .text("busy", "Cache-Control: max-age=600", status: .init(code: status)), .refused)
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get().status == status)
        let shown = try await test.get()
        #expect(shown.source == .stale && shown.text == "one")
    }
}
