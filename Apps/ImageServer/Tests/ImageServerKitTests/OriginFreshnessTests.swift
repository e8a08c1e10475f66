import Foundation
import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageTransporting
import Testing

@testable import ImageServerKit

@Suite struct OriginFreshnessTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func seconds(_ fields: HTTPFields) -> TimeInterval? { OriginFreshness.lifetime(fields, now: now) }

    private func freshness(_ cacheControl: String, _ status: Int = 200, for seconds: TimeInterval) -> OriginFreshness {
        OriginFreshness([response(cacheControl, status, for: seconds)])
    }

    private func response(_ cacheControl: String, _ status: Int, for seconds: TimeInterval) -> OriginalResponse {
        OriginalResponse(
            url: URL(filePath: "/"), status: status, headers: ["cache-control": cacheControl],
            freshUntil: now.addingTimeInterval(seconds))
    }

    @Test("prefers s-maxage to max-age, and max-age to Expires")
    func precedence() {
        let expires = HTTPField(name: .expires, value: "Tue, 14 Nov 2023 22:14:20 GMT")
        var fields: HTTPFields = [.cacheControl: "max-age=100, s-maxage=50"]
        #expect(seconds(fields) == 50)
        fields = [.cacheControl: "max-age=100"]
        fields.append(expires)
        #expect(seconds(fields) == 100)
        fields[.cacheControl] = nil
        #expect(seconds(fields) == 60)
        #expect(seconds([:]) == nil)
    }

    @Test("is zero if the origin must be asked, whatever else it says")
    func askedEachTime() {
        #expect(seconds([.cacheControl: "no-cache, max-age=100"]) == 0)
        #expect(seconds([.cacheControl: "max-age=100", .vary: "Accept, *"]) == 0)
        #expect(seconds([.cacheControl: "max-age=100", .vary: "Accept"]) == 100)
        #expect(seconds([.expires: "0"]) == 0)
    }

    @Test("tells who may store the result")
    func storage() {
        #expect(freshness("private, max-age=5", for: 5) == OriginFreshness(storage: .client, freshUntil: now + 5))
        #expect(freshness("no-store", for: 0).storage == .nobody)
        #expect(freshness("", for: 0).storage == .shared)
        #expect(OriginFreshness([]) == OriginFreshness())
    }

    @Test("is that of the most restrictive of several responses")
    func redirects() {
        let responses = [response("no-store, max-age=9", 302, for: 9), response("private", 200, for: 5)]
        #expect(OriginFreshness(responses) == OriginFreshness(storage: .nobody, freshUntil: now + 5))
        let permanent = [response("", 301, for: 1), response("", 200, for: 5)]
        #expect(OriginFreshness(permanent).freshUntil == now + 5)
    }

    @Test("keeps lifetimes within their bounds")
    func bounds() {
        let bounds = LifetimeBounds(shortest: .seconds(10), longest: .seconds(100), standard: .seconds(20))
        func lifetime(_ seconds: TimeInterval?) -> TimeInterval {
            let freshness = OriginFreshness(freshUntil: seconds.map { now.addingTimeInterval($0) })
            return bounds.end(of: freshness, now: now).timeIntervalSince(now)
        }
        #expect(lifetime(nil) == 20)
        #expect(lifetime(0) == 10)
        #expect(lifetime(50) == 50)
        #expect(lifetime(1_000) == 100)
    }

    @Test("writes Cache-Control")
    func cacheControl() {
        let bounds = LifetimeBounds()
        let end = now.addingTimeInterval(30.9)
        #expect(bounds.cacheControl(.shared, freshUntil: end, now: now) == "public, max-age=30")
        #expect(bounds.cacheControl(.client, freshUntil: end, now: now) == "private, max-age=30")
        #expect(bounds.cacheControl(.nobody, freshUntil: end, now: now) == "no-store")
        #expect(bounds.cacheControl(.shared, freshUntil: now.addingTimeInterval(-5), now: now) == "public, max-age=0")
    }

    @Test("combines the responses that lead to a result to the most restrictive ones")
    func combining() {
        let (soon, late) = (now.addingTimeInterval(5), now.addingTimeInterval(9))
        let image = OriginFreshness(storage: .shared, freshUntil: late)
        for storage in [OriginFreshness.Storage.shared, .client, .nobody] {
            let redirect = OriginFreshness(storage: storage, freshUntil: soon)
            #expect(image.combined(with: redirect) == redirect && redirect.combined(with: image) == redirect)
        }
        #expect(image.combined(with: OriginFreshness()) == image)
    }
}
