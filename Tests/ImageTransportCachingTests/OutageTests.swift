import Foundation
import HTTPTypes
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageTransportCaching

@Suite("Stale responses where the origin is not heard, or need not be waited for")
struct OutageTests {
    private let test = CachedOrigin()

    @Test("no connection: the stale response is shown, and says that it is stale")
    func disconnected() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=1"), .failure(.connectionFailed("refused")))
        _ = try await test.get()
        test.time.advance(2)
        let shown = try await test.get()
        #expect(shown.source == .stale && shown.text == "one")
    }

    @Test("must-revalidate and no-cache forbid that", arguments: ["must-revalidate", "no-cache"])
    func forbidden(_ directive: String) async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=1, \(directive)"), .failure(.timedOut(.head)))
        _ = try await test.get()
        test.time.advance(2)
        await #expect(throws: TransportFailure.timedOut(.head)) { try await test.get() }
    }

    @Test(
        "a cancelled request and a certificate that is not trusted are told",
        arguments: [TransportFailure.cancelled, .tls("self-signed")])
    func told(_ failure: TransportFailure) async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=1, stale-if-error=60"), .failure(failure))
        _ = try await test.get()
        test.time.advance(2)
        await #expect(throws: failure) { try await test.get() }
    }

    @Test("an error of the server's is replaced within stale-if-error alone")
    func staleIfError() async throws {
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1, stale-if-error=60"),
            .text("busy", status: .serviceUnavailable))
        test.script("/b", .text("one", "Cache-Control: max-age=1"), .text("busy", status: .serviceUnavailable))
        _ = try await test.get("/a")
        _ = try await test.get("/b")
        test.time.advance(2)
        #expect(try await test.get("/a").text == "one")
        #expect(try await test.get("/b").status == 503)
        test.time.advance(60)
        #expect(try await test.get("/a").status == 503)
        #expect(try await test.stored("/b", acceptsStale: true)?.text == "one", "an error does not end what is stored")
    }

    @Test("stale-while-revalidate answers at once and asks once behind it; then the newer response is there, and told")
    func staleWhileRevalidate() async throws {
        let held = HeldWork()
        let test = CachedOrigin { $0.inBackground = { held.hold($1) } }
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1, stale-while-revalidate=60", "ETag: \"1\""),
            .text("two", "Cache-Control: max-age=600"))
        _ = try await test.get()
        test.time.advance(2)
        #expect(try await test.get().source == .stale)
        #expect(try await test.stored()?.source == .stale)
        #expect(test.origin.sendCount == 1 && held.count == 1)
        await held.run()
        #expect(test.origin.requests.last?.headers[.ifNoneMatch] == "\"1\"")
        #expect(test.revalidations == [.revalidated(CachedOrigin.url("/a"), .replaced(status: 200))])
        let newer = try await test.get()
        #expect(newer.source == .cache && newer.text == "two")
    }

    @Test("what a revalidation behind an answer comes to is told", arguments: [true, false])
    func outcomes(_ isConfirmed: Bool) async throws {
        let held = HeldWork()
        let test = CachedOrigin { $0.inBackground = { held.hold($1) } }
        test.script(
            "/a", .text("one", "Cache-Control: max-age=1, stale-while-revalidate=60", "ETag: \"1\""),
            isConfirmed ? .text("", status: .notModified) : .failure(.connectionLost("gone")))
        _ = try await test.get()
        for _ in 0..<2 {
            test.time.advance(2)
            _ = try await test.get()
            await held.run()
        }
        let outcome = isConfirmed ? RevalidationOutcome.confirmed : .failed(.connectionLost("gone"))
        let told = CachingEvent.revalidated(CachedOrigin.url("/a"), outcome)
        #expect(test.revalidations == [told, told])
    }

    @Test("without the network: what is stored, fresh or, if accepted, stale; otherwise nothing; and nobody is asked")
    func offline() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60, must-revalidate"))
        #expect(try await test.stored(acceptsStale: true) == nil)
        _ = try await test.get()
        #expect(try await test.stored()?.source == .cache)
        test.time.advance(61)
        #expect(try await test.stored() == nil)
        let shown = try await test.stored(acceptsStale: true)
        #expect(shown?.source == .stale && shown?.text == "one")
        #expect(test.origin.sendCount == 1)
    }
}
