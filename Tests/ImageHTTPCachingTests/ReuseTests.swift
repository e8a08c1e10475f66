import Foundation
import Testing

@testable import ImageHTTPCaching

@Suite("Reuse of stored responses (RFC 9111, 4 and 5.2)")
struct ReuseTests {
    static func reuse(
        _ response: StoredHTTPResponse, _ asked: HTTPCacheRequest = request(), after seconds: TimeInterval = 0
    ) -> CacheReuse { RFC9111Policy().reuse(response, for: asked, at: noon + seconds) }

    @Test(
        "directives for shared caches forbid a stale response after a failure",
        arguments: ["proxy-revalidate", "s-maxage=2"])
    func shared(directive: String) {
        let response = stored("Cache-Control: max-age=60, \(directive)")
        #expect(Self.reuse(response) == .fresh)
        #expect(Self.reuse(response, after: 61) == .validate(fallback: .never))
    }

    @Test("no-cache, max-age=0, Pragma and no-store in the request require validation")
    func requests() {
        let response = stored("Cache-Control: max-age=3600")
        for line in [
            "Cache-Control: no-cache", "Cache-Control: max-age=0", "Pragma: no-cache", "Cache-Control: no-store",
        ] {
            guard case .validate = Self.reuse(response, request(line)) else {
                Issue.record("\(line): reused")
                continue
            }
        }
        // Pragma is ignored if there is Cache-Control.
        #expect(Self.reuse(response, request("Pragma: no-cache", "Cache-Control: max-age=60")) == .fresh)
    }

    @Test("max-age and min-fresh of the request limit what is fresh")
    func narrower() {
        let response = stored("Cache-Control: max-age=100", "Age: 40")
        #expect(Self.reuse(response, request("Cache-Control: max-age=50")) == .fresh)
        #expect(
            Self.reuse(response, request("Cache-Control: max-age=50"), after: 11) == .validate(fallback: .disconnected))
        #expect(Self.reuse(response, request("Cache-Control: min-fresh=60")) == .fresh)
        #expect(Self.reuse(response, request("Cache-Control: min-fresh=61")) == .validate(fallback: .disconnected))
    }

    @Test("an immutable response is not revalidated on reload while it is fresh")
    func immutable() {
        let response = stored("Cache-Control: max-age=60, immutable")
        #expect(Self.reuse(response, request("Cache-Control: max-age=0")) == .fresh)
        #expect(
            Self.reuse(response, request("Cache-Control: max-age=0"), after: 61) == .validate(fallback: .disconnected))
        #expect(Self.reuse(response, request("Cache-Control: no-cache")) == .validate(fallback: .never))
    }

    @Test("stale-if-error allows a stale response instead of a server error for the given time")
    func ifError() {
        let response = stored("Cache-Control: max-age=10, stale-if-error=20")
        #expect(Self.reuse(response, after: 30) == .validate(fallback: .serverError))
        #expect(Self.reuse(response, after: 31) == .validate(fallback: .disconnected))
        let asked = request("Cache-Control: stale-if-error=100")
        #expect(Self.reuse(stored("Cache-Control: max-age=10"), asked, after: 50) == .validate(fallback: .serverError))
        for status in [500, 502, 503, 504] { #expect(StaleFallback.serverError.allows(status: status)) }
        for status in [200, 404, 501, 505] { #expect(!StaleFallback.serverError.allows(status: status)) }
        #expect(!StaleFallback.disconnected.allows(status: 503))
    }

    @Test("a fixed lifetime ignores the fields of the origin, but not those of the request")
    func fixed() {
        let policy = FixedLifetimePolicy(lifetime: .seconds(60))
        let response = stored("Cache-Control: no-store, max-age=0", "Age: 500", "Vary: *")
        #expect(policy.mayStore(response, to: request()))
        #expect(!policy.mayStore(stored(status: 404), to: request()))
        #expect(policy.reuse(response, for: request(), at: noon + 59) == .fresh)
        #expect(policy.reuse(response, for: request(), at: noon + 60) == .validate(fallback: .serverError))
        for line in ["Cache-Control: no-cache", "Cache-Control: max-age=0"] {
            #expect(policy.reuse(response, for: request(line), at: noon) == .validate(fallback: .serverError))
        }
    }
}
