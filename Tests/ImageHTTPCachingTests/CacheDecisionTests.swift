import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Decisions of the HTTP cache")
struct CacheDecisionTests {
    static let fresh = "Cache-Control: max-age=60"

    static func decision(
        _ request: HTTPCacheRequest, _ variants: StoredHTTPResponse..., after seconds: TimeInterval = 0
    ) -> CacheDecision { RFC9111Policy().decision(for: request, from: variants, at: noon + seconds) }

    static func uses(_ variant: Int) -> CacheDecision { .use(variant: variant, isStale: false, revalidates: false) }

    @Test("uses fresh responses, and stale ones if allowed, and validates others")
    func kinds() {
        let response = stored(
            "Cache-Control: max-age=10, stale-while-revalidate=5", "ETag: W/\"a\"", "Last-Modified: \(date(-9))")
        #expect(Self.decision(request(), response) == Self.uses(0))
        #expect(Self.decision(request(), response, after: 12) == .use(variant: 0, isStale: true, revalidates: true))
        #expect(
            Self.decision(request("Cache-Control: only-if-cached"), response, after: 12)
                == .use(variant: 0, isStale: true, revalidates: false))
        #expect(
            Self.decision(request("Cache-Control: only-if-cached"), response, after: 99) == .unavailable(.notReusable))
        #expect(Self.decision(request("Cache-Control: only-if-cached")) == .unavailable(.notReusable))
        #expect(Self.decision(request("If-Match: \"a\""), response) == .send(.notReusable))
        #expect(
            Self.decision(request("Cache-Control: max-stale"), response, after: 99)
                == .use(variant: 0, isStale: true, revalidates: false))
        let conditions = HTTPFields(["If-None-Match: W/\"a\"", "If-Modified-Since: \(date(-9))"])
        #expect(Self.decision(request(), response, after: 99) == .validate(variant: 0, fallback: .disconnected))
        #expect(response.validationFields == conditions)
        let unmarked = stored("Cache-Control: max-age=10")
        #expect(Self.decision(request(), unmarked, after: 99) == .validate(variant: 0, fallback: .disconnected))
        #expect(unmarked.validationFields.isEmpty && Self.decision(request()) == .send(.absent))
    }

    @Test("selects the variant that matches the request, regardless of formatting")
    func vary() {
        let webp = stored(Self.fresh, "Vary: Accept, Foo", to: HTTPFields(["Accept: image/webp, image/*", "Foo: 1"]))
        let jpeg = stored(Self.fresh, "vary: ACCEPT", "Vary: foo", to: HTTPFields(["Foo: 1"]))
        #expect(Self.decision(request("Foo: 1"), webp, jpeg) == Self.uses(1))
        #expect(Self.decision(request("foo: 1", "Accept: image/webp", "Accept: image/*"), webp, jpeg) == Self.uses(0))
        #expect(Self.decision(request("Foo: 1", "Accept:  image/webp ,image/*", "Bar: 2"), webp, jpeg) == Self.uses(0))
        #expect(Self.decision(request("Foo: 2"), webp, jpeg) == .send(.otherVariant))
        #expect(Self.decision(request("Foo: 1", "Accept: IMAGE/webp, image/*"), webp, jpeg) == .send(.otherVariant))
        #expect(Self.decision(request("Foo: 1", "Accept:"), webp, jpeg) == .send(.otherVariant))
    }

    @Test(
        "Accept-Language, Accept-Encoding and Accept-Charset match regardless of case, order and whitespace",
        arguments: ["Accept-Language", "Accept-Encoding", "Accept-Charset"])
    func unordered(name: String) {
        let response = stored(Self.fresh, "Vary: \(name)", to: HTTPFields(["\(name): en, de;q=0.5"]))
        for value in ["EN,De; Q=0.5", "de;q=0.5 , en", " en,,de ;q=0.5,"] {
            #expect(Self.decision(request("\(name): \(value)"), response) == Self.uses(0))
        }
        #expect(Self.decision(request("\(name): de;q=0.5", "\(name): en"), response) == Self.uses(0))
        for value in ["en, de", "en;q=0.5, de", "en", "en, de;q=0.5, fr", "de"] {
            #expect(Self.decision(request("\(name): \(value)"), response) == .send(.otherVariant))
        }
    }

    @Test("selects the newest of several matching variants")
    func newest() {
        let older = stored(Self.fresh, "Date: \(date(-20))")
        let newer = stored(Self.fresh, "Date: \(date(-10))")
        #expect(Self.decision(request(), older, newer) == Self.uses(1))
        #expect(Self.decision(request(), newer, older) == Self.uses(0))
    }

    @Test("adds the age and a missing Date, and removes fields that require validation")
    func served() {
        let response = stored(
            "Cache-Control: max-age=60, no-cache=\"A, set-cookie\"", "Age: 5", "a: 1", "Set-Cookie: b", "C: 2")
        let headers = response.headers(at: noon + 3.9)
        #expect(headers[.age] == "8")
        #expect(headers[.date] == date(0))
        #expect(headers.map(\.name.canonicalName).sorted() == ["age", "c", "cache-control", "date"])
        #expect(response.headers(at: noon, isValidated: true)[.setCookie] == "b")
    }

    @Test("a use of the cache that isn't the standard one changes the decision")
    func uses() {
        let (image, error) = (stored("Cache-Control: max-age=10"), stored("Cache-Control: max-age=10", status: 503))
        func decision(_ use: CacheUse, _ response: StoredHTTPResponse, after seconds: TimeInterval) -> CacheDecision {
            RFC9111Policy().decision(for: request(), use, from: [response], at: noon + seconds)
        }
        let stale = CacheDecision.use(variant: 0, isStale: true, revalidates: false)
        #expect(decision(CacheUse(.onlyIfCached), image, after: 99) == stale)
        #expect(
            RFC9111Policy().decision(for: request(), CacheUse(.onlyIfCached), from: [], at: noon)
                == .unavailable(.absent))
        #expect(decision(CacheUse(.ignoringStoredErrors), error, after: 0) == .send(.notReusable))
        #expect(
            decision(CacheUse(.ignoringStoredErrors), image, after: 0)
                == .validate(variant: 0, fallback: .serverError))
        #expect(decision(CacheUse(.revalidate), image, after: 0) == .validate(variant: 0, fallback: .never))
        #expect(decision(CacheUse(access: .readOnly), image, after: 0) == Self.uses(0))
        for response in [image, error] {
            #expect(decision(CacheUse(access: .readOnly), response, after: 99) == .send(.stale))
        }
        #expect(decision(CacheUse(), error, after: 99) == .validate(variant: 0, fallback: .never))
    }
}
