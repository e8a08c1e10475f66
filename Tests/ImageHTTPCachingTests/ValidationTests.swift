import Foundation
import HTTPTypes
import ImageHTTPCaching
import ImageTransporting
import Testing

@Suite("Validation and invalidation (RFC 9111, 4.3 and 4.4)")
struct ValidationTests {
    static func confirmed(_ response: StoredHTTPResponse, _ lines: String...) -> StoredHTTPResponse? {
        response.freshened(byNotModified: head(lines, status: 304), requestTime: noon + 100, responseTime: noon + 101)
    }

    @Test("a 304 replaces the fields it contains, and keeps the other fields, the status and the variant")
    func update() throws {
        let response = stored(
            "Cache-Control: max-age=1", "ETag: \"a\"", "Age: 50", "X: 1", "X: 2", "Y: 3", "Vary: Accept",
            to: fields(["Accept: b"]))
        let updated = try #require(
            Self.confirmed(
                response, "cache-control: max-age=60", "ETag: \"a\"", "x: 4", "Connection: x-hop", "X-Hop: 5"))
        #expect(updated.headers[.cacheControl] == "max-age=60")
        let x = try #require(HTTPField.Name("X"))
        let y = try #require(HTTPField.Name("Y"))
        #expect(updated.headers[values: x] == ["4"])
        #expect(updated.headers[y] == "3")
        #expect(updated.status == 200 && updated.selectingFields == ["accept": "b"])
        #expect(updated.headers.count == 5)
        #expect(updated.age(at: noon + 101) == 1)
        #expect(updated.requestTime == noon + 100 && updated.responseTime == noon + 101)
    }

    @Test("a 304 does not replace fields that describe the body")
    func body() throws {
        let response = stored("ETag: \"a\"", "Content-Length: 10", "Content-Encoding: gzip", "Content-Type: image/png")
        let updated = try #require(
            Self.confirmed(
                response, "ETag: \"a\"", "Content-Length: 0", "Content-Encoding: br", "Content-Type: image/jpeg"))
        #expect(updated.headers[.contentLength] == "10" && updated.headers[.contentEncoding] == "gzip")
        #expect(updated.headers[.contentType] == "image/jpeg")
    }

    @Test("a 304 with a different validator does not confirm the response")
    func other() {
        let tagged = stored("ETag: \"a\"", "Last-Modified: \(date(-9))")
        #expect(Self.confirmed(tagged, "ETag: \"b\"") == nil)
        #expect(Self.confirmed(tagged, "ETag: W/\"a\"") != nil)
        #expect(Self.confirmed(stored("ETag: W/\"a\""), "ETag: \"a\"") != nil)
        #expect(Self.confirmed(stored("ETag: W/\"a\""), "ETag: \"W/a\"") == nil)
        #expect(Self.confirmed(stored(), "ETag: \"a\"") == nil)
        #expect(Self.confirmed(tagged, "Last-Modified: \(date(-8))") == nil)
        #expect(Self.confirmed(tagged, "Last-Modified: \(date(-9))") != nil)
        #expect(Self.confirmed(tagged) != nil)
    }

    @Test("a HEAD updates the same response, and invalidates a different one")
    func described() throws {
        let response = stored("ETag: \"a\"", "Content-Length: 10", "Cache-Control: max-age=1")
        func described(_ lines: String..., status: Int = 200) -> StoredHTTPResponse? {
            response.freshened(byHead: head(lines, status: status), requestTime: noon, responseTime: noon)
        }
        #expect(
            described("ETag: \"a\"", "Content-Length: 10", "Cache-Control: max-age=60")?.headers[.cacheControl]
                == "max-age=60")
        #expect(described("Content-Length: 11") == nil)
        #expect(described("ETag: \"b\"") == nil)
        #expect(described("Last-Modified: \(date(0))") == nil)
        #expect(described(status: 404) == nil)
    }

    @Test("an unsafe method invalidates its URL, and URLs of the same origin in Location and Content-Location")
    func invalidation() throws {
        let url = try #require(URL(string: "https://a.test/album/1"))
        func invalidated(_ method: HTTPRequest.Method, _ lines: String..., status: Int = 200) -> [String] {
            CacheInvalidation.invalidatedURLs(by: method, of: url, response: head(lines, status: status)).map(
                \.absoluteString)
        }
        for method in [HTTPRequest.Method.post, .put, .delete, .patch] {
            #expect(invalidated(method) == ["https://a.test/album/1"])
            #expect(invalidated(method, status: 302) == ["https://a.test/album/1"])
            #expect(invalidated(method, status: 404).isEmpty)
        }
        for method in [HTTPRequest.Method.get, .head, .options, .trace] { #expect(invalidated(method).isEmpty) }
        #expect(
            invalidated(.post, "Location: 2", "Content-Location: https://A.test:443/3")
                == ["https://a.test/album/1", "https://a.test/album/2", "https://A.test:443/3"])
        #expect(invalidated(.post, "Location: http://a.test/2", "Content-Location: https://b.test/3").count == 1)
        #expect(invalidated(.post, "Location: https://a.test:444/2").count == 1)
    }
}
