import Foundation
import ImageHTTPCaching
import Testing

@Suite("What a stored response is good for (RFC 9111, 4 and 5.2)")
struct ReuseTests {
    static func reuse(
        _ response: StoredHTTPResponse, _ asked: HTTPCacheRequest = request(), after seconds: TimeInterval = 0
    ) -> CacheReuse { RFC9111Policy().reuse(response, for: asked, at: noon + seconds) }

    @Test("no-cache in the response: always ask, and never show it stale")
    func noCache() {
        #expect(Self.reuse(stored("Cache-Control: max-age=60, No-Cache")) == .validate(orElse: .never))
        #expect(Self.reuse(stored("Cache-Control: max-age=60, no-cache=\"Set-Cookie\"")) == .fresh)
    }

    @Test("must-revalidate: fresh as any other, never shown stale")
    func mustRevalidate() {
        let response = stored(
            "Cache-Control: max-age=60, must-revalidate, stale-while-revalidate=60, stale-if-error=60")
        #expect(Self.reuse(response) == .fresh)
        #expect(Self.reuse(response, after: 61) == .validate(orElse: .never))
        #expect(Self.reuse(response, request("Cache-Control: max-stale"), after: 61) == .validate(orElse: .never))
    }

    @Test(
        "directives for shared caches forbid to show it stale after a failure",
        arguments: ["proxy-revalidate", "s-maxage=2"])
    func shared(directive: String) {
        let response = stored("Cache-Control: max-age=60, \(directive)")
        #expect(Self.reuse(response) == .fresh)
        #expect(Self.reuse(response, after: 61) == .validate(orElse: .never))
    }

    @Test("the request asks for validation: no-cache, max-age=0, Pragma, no-store")
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
        // Pragma counts where there is no Cache-Control.
        #expect(Self.reuse(response, request("Pragma: no-cache", "Cache-Control: max-age=60")) == .fresh)
    }

    @Test("the request's max-age and min-fresh narrow what is fresh")
    func narrower() {
        let response = stored("Cache-Control: max-age=100", "Age: 40")
        #expect(Self.reuse(response, request("Cache-Control: max-age=50")) == .fresh)
        #expect(
            Self.reuse(response, request("Cache-Control: max-age=50"), after: 11) == .validate(orElse: .disconnected))
        #expect(Self.reuse(response, request("Cache-Control: min-fresh=60")) == .fresh)
        #expect(Self.reuse(response, request("Cache-Control: min-fresh=61")) == .validate(orElse: .disconnected))
    }

    @Test("max-stale accepts what is stale for so long, or for any time")
    func maxStale() {
        let response = stored("Cache-Control: max-age=10")
        #expect(Self.reuse(response, request("Cache-Control: max-stale=5"), after: 15) == .stale)
        #expect(
            Self.reuse(response, request("Cache-Control: max-stale=5"), after: 16) == .validate(orElse: .disconnected))
        #expect(Self.reuse(response, request("Cache-Control: max-stale"), after: 1e6) == .stale)
    }

    @Test("immutable: a reload does not ask as long as it is fresh")
    func immutable() {
        let response = stored("Cache-Control: max-age=60, immutable")
        #expect(Self.reuse(response, request("Cache-Control: max-age=0")) == .fresh)
        #expect(
            Self.reuse(response, request("Cache-Control: max-age=0"), after: 61) == .validate(orElse: .disconnected))
        #expect(Self.reuse(response, request("Cache-Control: no-cache")) == .validate(orElse: .never))
    }

    @Test("stale-while-revalidate: shown for so long while the origin is asked")
    func whileRevalidating() {
        let response = stored("Cache-Control: max-age=10, stale-while-revalidate=20")
        #expect(Self.reuse(response, after: 9) == .fresh)
        #expect(Self.reuse(response, after: 30) == .staleWhileRevalidate)
        #expect(Self.reuse(response, after: 31) == .validate(orElse: .disconnected))
        #expect(
            Self.reuse(response, request("Cache-Control: max-age=0"), after: 15) == .validate(orElse: .disconnected))
    }

    @Test("stale-if-error: shown for so long in place of an error; without it only when nobody answers")
    func ifError() {
        let response = stored("Cache-Control: max-age=10, stale-if-error=20")
        #expect(Self.reuse(response, after: 30) == .validate(orElse: .error))
        #expect(Self.reuse(response, after: 31) == .validate(orElse: .disconnected))
        let asked = request("Cache-Control: stale-if-error=100")
        #expect(Self.reuse(stored("Cache-Control: max-age=10"), asked, after: 50) == .validate(orElse: .error))
        for status in [500, 502, 503, 504] { #expect(StalePermission.error.covers(status: status)) }
        for status in [200, 404, 501, 505] { #expect(!StalePermission.error.covers(status: status)) }
        #expect(!StalePermission.disconnected.covers(status: 503))
        #expect(StalePermission.never < .disconnected && StalePermission.disconnected < .error)
    }

    @Test("a fixed lifetime ignores the origin, not the user")
    func fixed() {
        let policy = FixedLifetimePolicy(lifetime: .seconds(60))
        let response = stored("Cache-Control: no-store, max-age=0", "Age: 500", "Vary: *")
        #expect(policy.mayStore(response, to: request()))
        #expect(!policy.mayStore(stored(status: 404), to: request()))
        #expect(policy.reuse(response, for: request(), at: noon + 59) == .fresh)
        #expect(policy.reuse(response, for: request(), at: noon + 60) == .validate(orElse: .error))
        for line in ["Cache-Control: no-cache", "Cache-Control: max-age=0"] {
            #expect(policy.reuse(response, for: request(line), at: noon) == .validate(orElse: .error))
        }
    }

    @Test("never storing stores nothing and reuses nothing")
    func never() {
        let response = stored("Cache-Control: max-age=60")
        #expect(!NeverStorePolicy().mayStore(response, to: request()))
        #expect(NeverStorePolicy().reuse(response, for: request(), at: noon) == .validate(orElse: .never))
    }
}
