import Foundation
import HTTPTypes
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Storing responses (RFC 9111, 3)")
struct StorabilityTests {
    static func mayStore(
        _ response: StoredHTTPResponse, to cacheRequest: HTTPCacheRequest = request(),
        _ policy: RFC9111Policy = RFC9111Policy()
    ) -> Bool { policy.mayStore(response, to: cacheRequest) }

    @Test("stores a response with a lifetime, a cacheable status, public or private")
    func statuses() {
        for status in [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599] {
            #expect(Self.mayStore(stored("Cache-Control: max-age=60", status: status)), "\(status)")
            #expect(Self.mayStore(stored("Expires: \(date(60))", status: status)), "\(status)")
            #expect(Self.mayStore(stored("Cache-Control: public", status: status)), "\(status)")
            #expect(Self.mayStore(stored("Cache-Control: private", status: status)), "\(status)")
        }
        for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
            #expect(Self.mayStore(stored(status: status)), "\(status)")
        }
        for status in [201, 202, 205, 207, 226, 302, 403, 429, 500, 503] {
            #expect(!Self.mayStore(stored(status: status)), "\(status)")
            #expect(Self.mayStore(stored("Cache-Control: max-age=60", status: status)), "\(status)")
        }
    }

    @Test("does not store partial, 304 and informational responses", arguments: [100, 103, 199, 206, 304, 600])
    func parts(status: Int) {
        #expect(!Self.mayStore(stored("Cache-Control: max-age=60", status: status)))
    }

    @Test("must-understand overrides no-store for known statuses, and forbids others")
    func mustUnderstand() {
        for status in [200, 302, 303, 307, 400, 401, 403, 500, 502, 503, 504] {
            #expect(Self.mayStore(stored("Cache-Control: max-age=60, no-store, must-understand", status: status)))
        }
        #expect(!Self.mayStore(stored("Cache-Control: max-age=60, must-understand", status: 299)))
    }

    @Test("stores private and authorized responses")
    func privacy() {
        #expect(Self.mayStore(stored("Cache-Control: private, max-age=60")))
        #expect(Self.mayStore(stored("Cache-Control: max-age=60"), to: request("Authorization: Basic eA==")))
    }

    @Test("stores only responses to GET without a range, a condition or no-store")
    func requests() {
        let response = stored("Cache-Control: max-age=60")
        #expect(Self.mayStore(response))
        #expect(!Self.mayStore(response, to: request("Cache-Control: no-store")))
        for method in [HTTPRequest.Method.head, .post, .put, .delete, .options] {
            #expect(!Self.mayStore(response, to: request(method: method)), "\(method)")
        }
        for line in [
            "Range: bytes=0-1", "If-Range: \"a\"", "If-Match: \"a\"", "If-None-Match: \"a\"",
            "If-Modified-Since: \(date(0))", "If-Unmodified-Since: \(date(0))",
        ] {
            #expect(!Self.mayStore(response, to: request(line)), "\(line)")
        }
    }

    @Test("does not store responses with Vary: *", arguments: ["*", "*, *", ", *", "*, Foo", "Foo, *"])
    func varyStar(value: String) {
        #expect(!Self.mayStore(stored("Cache-Control: max-age=60", "Vary: \(value)")))
        #expect(!Self.mayStore(stored("Cache-Control: max-age=60", "Vary:", "Vary: \(value)")))
    }

    @Test("removes hop-by-hop fields")
    func perConnection() {
        let response = stored(
            "Connection: close, X-Hop", "X-Hop: 1", "Keep-Alive: timeout=5", "Proxy-Authenticate: Basic",
            "Proxy-Authentication-Info: a", "Proxy-Authorization: b", "Proxy-Connection: c", "TE: d",
            "Transfer-Encoding: chunked", "Upgrade: e", "Set-Cookie: a=b", "X-Kept: 2")
        #expect(response.headers.map(\.name.canonicalName) == ["set-cookie", "x-kept"])
    }
}

@Suite("Freshness (RFC 9111, 4.2)")
struct FreshnessTests {
    /// Returns the number of seconds after noon at which a response becomes stale. Returns nil if it is fresh for more
    /// than three days.
    static func lifetime(_ response: StoredHTTPResponse, _ policy: RFC9111Policy = RFC9111Policy()) -> Int? {
        func isFresh(_ seconds: Int) -> Bool {
            policy.reuse(response, for: request(), at: noon + TimeInterval(seconds)) == .fresh
        }
        guard isFresh(0) else { return 0 }
        guard !isFresh(3 * 86_400) else { return nil }
        var (fresh, stale) = (0, 3 * 86_400)
        while stale - fresh > 1 {
            let middle = (fresh + stale) / 2
            if isFresh(middle) { fresh = middle } else { stale = middle }
        }
        return stale
    }

    @Test("max-age takes precedence over Expires, and s-maxage is ignored")
    func maxAge() {
        #expect(Self.lifetime(stored("Cache-Control: max-age=60")) == 60)
        #expect(Self.lifetime(stored("Cache-Control: max-age=60", "Expires: \(date(-9)))")) == 60)
        #expect(Self.lifetime(stored("Cache-Control: max-age=0", "Expires: \(date(900))", "Date: \(date(0))")) == 0)
        #expect(Self.lifetime(stored("Cache-Control: s-maxage=3600, max-age=60")) == 60)
        #expect(Self.lifetime(stored("Cache-Control: s-maxage=3600")) == 0)
        #expect(Self.lifetime(stored("Cache-Control: max-age=99999999999")) == nil)
    }

    @Test("Expires is relative to Date, or to the arrival of the response")
    func expires() {
        #expect(Self.lifetime(stored("Expires: \(date(60))", "Date: \(date(0))")) == 60)
        #expect(Self.lifetime(stored("Expires: \(date(60))")) == 60)
        #expect(Self.lifetime(stored("Expires: \(date(60))", "Date: \(date(-40))")) == 60)
        #expect(Self.lifetime(stored("Expires: \(date(-1))")) == 0)
        // The clock of this server is ahead.
        #expect(Self.lifetime(stored("Expires: \(date(1060))", "Date: \(date(1000))")) == 60)
        #expect(Self.lifetime(stored("Expires: \(date(60))", "Expires: \(date(900))")) == 60)
    }

    @Test(
        "an invalid Expires means expired, and no heuristic applies",
        arguments: ["0", "-1", "soon", ""])
    func brokenExpires(value: String) {
        #expect(Self.lifetime(stored("Expires: \(value)", "Last-Modified: \(date(-86_400))")) == 0)
    }

    @Test("includes the Age field and the response delay")
    func age() {
        #expect(Self.lifetime(stored("Cache-Control: max-age=60", "Age: 25")) == 35)
        #expect(Self.lifetime(stored("Cache-Control: max-age=60", "Age: 75")) == 0)
        #expect(Self.lifetime(stored("Cache-Control: max-age=60", "Age: 25", delay: 5)) == 30)
        #expect(Self.lifetime(stored("Cache-Control: max-age=60", "Date: \(date(-20))")) == 40)
        #expect(Self.lifetime(stored("Cache-Control: max-age=60", "Date: \(date(-20))", "Age: 15")) == 40)
        #expect(Self.lifetime(stored("Cache-Control: max-age=60", "Date: \(date(500))")) == 60)
    }

    @Test(
        "uses the first of several ages, and ignores invalid ones",
        arguments: [
            ("25, 0", 35), ("0, 25", 60), ("abc", 60), ("-7200", 60), ("7200.0", 60), ("", 60),
            ("99999999999999999999", 0),
        ])
    func oddAges(value: String, lifetime: Int) {
        #expect(Self.lifetime(stored("Cache-Control: max-age=60", "Age: \(value)")) == lifetime)
    }

    @Test("without a lifetime, uses a tenth of the time since the last modification, at most a day")
    func heuristic() {
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))")) == 100)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", "Date: \(date(-100))")) == 0)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", "Date: \(date(-50))")) == 45)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-86_400_000))")) == 86_400)
        #expect(Self.lifetime(stored("Last-Modified: \(date(1000))")) == 0)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", "Date: \(date(864_000))")) == 100)
        #expect(Self.lifetime(stored("Last-Modified: yesterday")) == 0)
        var eager = RFC9111Policy(heuristicFraction: 0.5, maxHeuristicLifetime: .seconds(300))
        #expect(Self.lifetime(stored("Last-Modified: \(date(-400))"), eager) == 200)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))"), eager) == 300)
        eager.heuristicFraction = 0
        #expect(Self.lifetime(stored("Last-Modified: \(date(-400))"), eager) == 0)
    }

    @Test("applies no heuristic to other statuses, unless the response is public")
    func heuristicStatuses() {
        for status in [200, 203, 204, 300, 301, 308, 405, 414, 501] {
            #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", status: status)) == 100, "\(status)")
        }
        for status in [201, 202, 403, 502, 503, 504, 599] {
            #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", status: status)) == 0, "\(status)")
            let open = stored("Last-Modified: \(date(-1000))", "Cache-Control: public", status: status)
            #expect(Self.lifetime(open) == 100, "\(status)")
        }
    }

    @Test("caches 404 and 410 for a minute, unless the server specifies a lifetime", arguments: [404, 410])
    func negative(status: Int) {
        #expect(Self.lifetime(stored(status: status)) == 60)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", status: status)) == 60)
        #expect(Self.lifetime(stored("Cache-Control: max-age=5", status: status)) == 5)
        #expect(Self.lifetime(stored("Expires: 0", status: status)) == 0)
        let plain = RFC9111Policy(negativeLifetime: nil)
        #expect(Self.lifetime(stored(status: status), plain) == 0)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", status: status), plain) == 100)
    }

    @Test("a response from the future has no age, because the clock was set back")
    func clock() {
        let response = stored("Cache-Control: max-age=60", "Age: 10")
        #expect(response.age(at: noon) == .seconds(10))
        #expect(response.age(at: noon + 7) == .seconds(17))
        #expect(response.age(at: noon - 1) == nil)
        #expect(response.age(at: Date(timeIntervalSince1970: 1e300)) == .seconds(1 << 31))
        #expect(response.headers(at: noon - 1)[.age] == "2147483648")
        #expect(stored(delay: -5).age(at: noon) == .zero)
    }

    @Test(
        "a response that arrived in the future is not fresh, whatever its fields say",
        arguments: [
            [], ["Cache-Control: max-age=99999999999"], ["Cache-Control: max-age=600, immutable"],
            ["Cache-Control: max-age=600, stale-while-revalidate=99999999999"],
            ["Expires: Fri, 31 Dec 9999 23:59:59 GMT"],
            ["Last-Modified: \(date(-864_000))"], ["Cache-Control: max-age=600", "Date: \(date(-315_360_000))"],
        ], [200, 301, 404])
    func future(_ lines: [String], _ status: Int) {
        let response = StoredHTTPResponse(
            head(lines, status: status), to: [:], requestTime: noon, responseTime: noon)
        for policy in [RFC9111Policy(defaultLifetime: .seconds(600)), FixedLifetimePolicy(lifetime: .seconds(600))]
            as [any HTTPCachePolicy]
        {
            for seconds in [1, 86_400, 315_360_000] as [TimeInterval] {
                guard case .validate(let fallback) = policy.reuse(response, for: request(), at: noon - seconds) else {
                    Issue.record("\(lines) is used \(seconds) s before its arrival")
                    continue
                }
                #expect(fallback != .never, "it is still shown offline")
            }
        }
    }
}

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
            "Cache-Control: no-cache", "Cache-Control: max-age=0", "Pragma: No-Cache", "Cache-Control: no-store",
        ] {
            guard case .validate = Self.reuse(response, request(line)) else {
                Issue.record("\(line): reused")
                continue
            }
        }
        // Pragma is ignored if there is Cache-Control.
        #expect(Self.reuse(response, request("Pragma: no-cache", "Cache-Control: max-age=60")) == .fresh)
    }

    @Test("stale-while-revalidate includes the last second of its time")
    func whileRevalidate() {
        let response = stored("Cache-Control: max-age=10, stale-while-revalidate=20")
        #expect(Self.reuse(response, after: 30) == .staleWhileRevalidate)
        #expect(Self.reuse(response, after: 31) == .validate(fallback: .disconnected))
    }

    @Test("no-cache that names fields doesn't require validation")
    func fieldNames() {
        #expect(Self.reuse(stored("Cache-Control: max-age=60, no-cache=\"Set-Cookie\"")) == .fresh)
        #expect(Self.reuse(stored("Cache-Control: max-age=60, no-cache")) == .validate(fallback: .never))
    }

    @Test("a default lifetime is for responses without a validator")
    func defaultLifetime() {
        let policy = RFC9111Policy(defaultLifetime: .seconds(60))
        #expect(policy.reuse(stored(), for: request(), at: noon) == .fresh)
        #expect(policy.reuse(stored("ETag: \"1\""), for: request(), at: noon) == .validate(fallback: .disconnected))
    }

    @Test("max-age and min-fresh of the request limit what is fresh")
    func narrower() {
        let response = stored("Cache-Control: max-age=100", "Age: 40")
        #expect(Self.reuse(response, request("Cache-Control: max-age=50"), after: 10) == .fresh)
        #expect(
            Self.reuse(response, request("Cache-Control: max-age=50"), after: 11) == .validate(fallback: .disconnected))
        #expect(Self.reuse(response, request("Cache-Control: min-fresh=60")) == .fresh)
        #expect(Self.reuse(response, request("Cache-Control: min-fresh=61")) == .validate(fallback: .disconnected))
    }

    @Test("max-stale includes the last second of its time")
    func maxStale() {
        let asked = request("Cache-Control: max-stale=5")
        #expect(Self.reuse(stored("Cache-Control: max-age=10"), asked, after: 15) == .stale)
        #expect(
            Self.reuse(stored("Cache-Control: max-age=10"), asked, after: 16) == .validate(fallback: .disconnected))
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
        let malformed = TransportError.malformedResponse("")
        #expect(
            StaleFallback.serverError.allows(after: malformed) && !StaleFallback.disconnected.allows(after: malformed))
    }

    @Test("a fixed lifetime ignores the fields of the server, but not those of the request")
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
        #expect(policy.lifetime(of: response) == .seconds(560))
        #expect(RFC9111Policy().lifetime(of: stored("Cache-Control: max-age=60, no-cache")) == .zero)
    }
}
