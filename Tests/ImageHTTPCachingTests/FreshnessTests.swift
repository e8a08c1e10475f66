import Foundation
import HTTPTypes
import Testing

@testable import ImageHTTPCaching

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
        // The clock of this origin is ahead.
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
        #expect(Self.lifetime(stored("Last-Modified: \(date(-86_400_000))")) == 86_400)
        #expect(Self.lifetime(stored("Last-Modified: \(date(1000))")) == 0)
        #expect(Self.lifetime(stored("Last-Modified: yesterday")) == 0)
        var eager = RFC9111Policy(heuristicFraction: 0.5, longestHeuristicLifetime: .seconds(300))
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

    @Test("caches 404 and 410 for a minute, unless the origin specifies a lifetime", arguments: [404, 410])
    func negative(status: Int) {
        #expect(Self.lifetime(stored(status: status)) == 60)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", status: status)) == 60)
        #expect(Self.lifetime(stored("Cache-Control: max-age=5", status: status)) == 5)
        #expect(Self.lifetime(stored("Expires: 0", status: status)) == 0)
        let plain = RFC9111Policy(negativeLifetime: nil)
        #expect(Self.lifetime(stored(status: status), plain) == 0)
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", status: status), plain) == 100)
    }

    @Test("the age of a response that arrived in the future is infinite, because the clock was set back")
    func clock() {
        let response = stored("Cache-Control: max-age=60", "Age: 10")
        #expect(response.age(at: noon) == 10)
        #expect(response.age(at: noon + 7) == 17)
        #expect(response.age(at: noon - 1) == .infinity)
        #expect(response.headers(at: noon - 1)[.age] == "2147483648")
        #expect(stored(delay: -5).age(at: noon) == 0)
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

    @Test("a Date in the future doesn't make the heuristic lifetime longer")
    func futureDate() {
        #expect(Self.lifetime(stored("Last-Modified: \(date(-1000))", "Date: \(date(864_000))")) == 100)
    }
}
