import Foundation
import HTTPTypes
import ImageHTTPCaching
import Testing

@Suite("What to do for a request")
struct AnswerTests {
    static let fresh = "Cache-Control: max-age=60"

    static func answer(
        _ asked: HTTPCacheRequest, _ variants: StoredHTTPResponse..., after seconds: TimeInterval = 0
    ) -> CacheAnswer { RFC9111Policy().answer(to: asked, from: variants, at: noon + seconds) }

    static func uses(_ variant: Int) -> CacheAnswer { .use(variant: variant, isStale: false, revalidates: false) }

    @Test("nothing stored: ask; only from the cache: there is none")
    func nothing() {
        #expect(Self.answer(request()) == .fetch)
        #expect(Self.answer(request("Cache-Control: only-if-cached")) == .unavailable)
    }

    @Test("fresh, stale while asking, stale by wish, to be asked about")
    func kinds() {
        let response = stored(
            "Cache-Control: max-age=10, stale-while-revalidate=5", "ETag: W/\"a\"", "Last-Modified: \(date(-9))")
        #expect(Self.answer(request(), response) == Self.uses(0))
        #expect(Self.answer(request(), response, after: 12) == .use(variant: 0, isStale: true, revalidates: true))
        #expect(
            Self.answer(request("Cache-Control: max-stale"), response, after: 99)
                == .use(variant: 0, isStale: true, revalidates: false))
        let conditions = fields(["If-None-Match: W/\"a\"", "If-Modified-Since: \(date(-9))"])
        #expect(
            Self.answer(request(), response, after: 99)
                == .validate(variant: 0, with: conditions, orElse: .disconnected))
        let unmarked = stored("Cache-Control: max-age=10")
        #expect(Self.answer(request(), unmarked, after: 99) == .validate(variant: 0, with: [:], orElse: .disconnected))
    }

    @Test("only-if-cached never asks")
    func onlyIfCached() {
        let response = stored("Cache-Control: max-age=10, stale-while-revalidate=5")
        let asked = request("Cache-Control: only-if-cached")
        #expect(Self.answer(asked, response) == Self.uses(0))
        #expect(Self.answer(asked, response, after: 12) == .use(variant: 0, isStale: true, revalidates: false))
        #expect(Self.answer(asked, response, after: 99) == .unavailable)
    }

    @Test(
        "requests with a range, a condition or another method pass by",
        arguments: ["Range: bytes=0-9", "If-None-Match: \"a\""])
    func passing(line: String) {
        #expect(Self.answer(request(line), stored(Self.fresh)) == .fetch)
        #expect(Self.answer(request(method: .post), stored(Self.fresh)) == .fetch)
        #expect(Self.answer(request(method: .head), stored(Self.fresh)) == .fetch)
    }

    @Test("the variant for what the request says, however it says it")
    func vary() {
        let webp = stored(Self.fresh, "Vary: Accept, Foo", to: fields(["Accept: image/webp, image/*", "Foo: 1"]))
        let jpeg = stored(Self.fresh, "vary: ACCEPT", "Vary: foo", to: fields(["Foo: 1"]))
        #expect(Self.answer(request("Foo: 1"), webp, jpeg) == Self.uses(1))
        #expect(Self.answer(request("foo: 1", "Accept: image/webp", "Accept: image/*"), webp, jpeg) == Self.uses(0))
        #expect(Self.answer(request("Foo: 1", "Accept:  image/webp ,image/*", "Bar: 2"), webp, jpeg) == Self.uses(0))
        #expect(Self.answer(request("Foo: 2"), webp, jpeg) == .fetch)
        #expect(Self.answer(request("Foo: 1", "Accept: IMAGE/webp, image/*"), webp, jpeg) == .fetch)
        #expect(Self.answer(request("Foo: 1", "Accept:"), webp, jpeg) == .fetch)
    }

    @Test("of several that fit the newest")
    func newest() {
        let older = stored(Self.fresh, "Date: \(date(-20))")
        let newer = stored(Self.fresh, "Date: \(date(-10))")
        #expect(Self.answer(request(), older, newer) == Self.uses(1))
        #expect(Self.answer(request(), newer, older) == Self.uses(0))
    }

    @Test("what is handed on tells its age, and hides what only a validated response may show")
    func served() {
        let response = stored(
            "Cache-Control: max-age=60, no-cache=\"A, set-cookie\"", "Age: 5", "a: 1", "Set-Cookie: b", "C: 2")
        let headers = response.headers(at: noon + 3.9)
        #expect(headers[.age] == "8")
        #expect(headers.map(\.name.canonicalName).sorted() == ["age", "c", "cache-control"])
        #expect(response.headers(at: noon, isValidated: true)[.setCookie] == "b")
    }
}
