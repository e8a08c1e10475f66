import HTTPTypes
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
        #expect(Self.mayStore(stored("Cache-Control: max-age=60, no-store, must-understand")))
        #expect(!Self.mayStore(stored("Cache-Control: max-age=60, must-understand", status: 299)))
    }

    @Test("stores private and authorized responses")
    func privacy() {
        #expect(Self.mayStore(stored("Cache-Control: private, max-age=60")))
        #expect(Self.mayStore(stored("Cache-Control: max-age=60"), to: request("Authorization: Basic eA==")))
    }

    @Test("stores only responses to GET without a range or condition")
    func requests() {
        let response = stored("Cache-Control: max-age=60")
        #expect(Self.mayStore(response))
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
