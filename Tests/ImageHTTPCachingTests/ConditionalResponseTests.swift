import Foundation
import HTTPTypes
import Testing

@testable import ImageHTTPCaching

@Suite("Conditional and range requests")
struct ConditionalResponseTests {
    private func evaluate(_ lines: String..., of response: StoredHTTPResponse) -> ConditionalResponse {
        response.conditionalResponse(to: HTTPCacheRequest(headers: fields(lines)), byteCount: 100)
    }

    @Test(
        "If-None-Match matches one of its tags weakly, or any with *",
        arguments: [
            ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\" , \"c\"", true), ("*", true), ("\"b\"", false),
            ("a", false),
        ])
    func ifNoneMatch(_ field: String, isKnown: Bool) {
        let answer = evaluate("If-None-Match: \(field)", of: stored("ETag: \"a\""))
        #expect(answer == (isKnown ? .notModified : .full))
        #expect(evaluate("If-None-Match: \"a\"", of: stored()) == .full, "no tag, no match")
    }

    @Test("If-Modified-Since is compared with Last-Modified or Date, and ignored if it is invalid")
    func ifModifiedSince() {
        let response = stored("Last-Modified: \(date(-100))")
        #expect(evaluate("If-Modified-Since: \(date(-100))", of: response) == .notModified)
        #expect(evaluate("If-Modified-Since: \(date(-50))", of: response) == .notModified)
        #expect(evaluate("If-Modified-Since: \(date(-101))", of: response) == .full)
        #expect(evaluate("If-Modified-Since: yesterday", of: response) == .full)
        #expect(evaluate("If-Modified-Since: \(date(0))", of: stored("Date: \(date(0))")) == .notModified)
        #expect(evaluate("If-Modified-Since: \(date(-1))", of: stored("Date: \(date(0))")) == .full)
    }

    @Test("If-None-Match takes precedence over If-Modified-Since")
    func precedence() {
        let response = stored("ETag: \"a\"", "Last-Modified: \(date(-100))")
        #expect(evaluate("If-None-Match: \"b\"", "If-Modified-Since: \(date(0))", of: response) == .full)
        #expect(evaluate("If-None-Match: \"a\"", "If-Modified-Since: \(date(-900))", of: response) == .notModified)
    }

    @Test("conditions apply only to a response with status 200")
    func status() {
        #expect(evaluate("If-None-Match: *", "Range: bytes=0-1", of: stored("ETag: \"a\"", status: 404)) == .full)
    }

    @Test(
        "returns a single range within the body",
        arguments: [
            ("bytes=0-1", 0..<2), ("bytes=98-", 98..<100), ("bytes=-3", 97..<100), ("bytes=90-1000", 90..<100),
            ("BYTES=5-5", 5..<6), ("bytes=-1000", 0..<100), ("bytes= 1 - 2 ", 1..<3),
        ])
    func ranges(_ field: String, bytes: Range<Int>) {
        #expect(evaluate("Range: \(field)", of: stored()) == .partial(bytes))
    }

    @Test(
        "ignores invalid, multiple and unsatisfiable ranges",
        arguments: [
            "bytes=100-", "bytes=5-4", "bytes=0-1,3-4", "bytes=-0", "bytes=-", "bytes=+1-2", "bytes=a-b", "pages=1-2",
            "bytes=",
            "bytes=99999999999999999999-", "bytes=0-99999999999999999999",
        ])
    func oddRanges(_ field: String) {
        #expect(evaluate("Range: \(field)", of: stored()) == .full)
    }

    @Test("ignores the range of an encoded body, and of HEAD")
    func codedBody() {
        #expect(evaluate("Range: bytes=0-1", of: stored("Content-Encoding: gzip")) == .full)
        #expect(evaluate("Range: bytes=0-1", of: stored("Content-Encoding: UTF-8, gzip")) == .full)
        for coding in ["", "UTF-8", "none", "identity"] {
            #expect(evaluate("Range: bytes=0-1", of: stored("Content-Encoding: \(coding)")) == .partial(0..<2))
        }
        let head = HTTPCacheRequest(method: .head, headers: fields(["Range: bytes=0-1"]))
        #expect(stored().conditionalResponse(to: head, byteCount: 100) == .full)
    }

    @Test("If-Range requires the same strong tag", arguments: [("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false)])
    func ifRange(_ tag: String, isSame: Bool) {
        let answer = evaluate("Range: bytes=0-1", "If-Range: \(tag)", of: stored("ETag: \"a\""))
        #expect(answer == (isSame ? .partial(0..<2) : .full))
        #expect(evaluate("Range: bytes=0-1", "If-Range: W/\"a\"", of: stored("ETag: W/\"a\"")) == .full)
    }

    @Test("the header fields match the bytes that are sent")
    func heads() {
        let response = stored("Content-Length: 100", "ETag: \"a\"")
        let part = response.headers(response.headers, for: .partial(10..<20), byteCount: 100)
        #expect(part[.contentRange] == "bytes 10-19/100" && part[.contentLength] == "10" && part[.eTag] == "\"a\"")
        let known = response.headers(response.headers, for: .notModified, byteCount: 100)
        #expect(known[.contentLength] == nil && known[.eTag] == "\"a\"")
        #expect(response.headers(response.headers, for: .full, byteCount: 100) == response.headers)
    }

    @Test("without conditions and range, the request is plain unless it has other conditions")
    func unconditional() {
        #expect(
            request("If-None-Match: \"a\"", "If-Modified-Since: x", "Range: y", "If-Range: z").unconditional
                == request())
        #expect(!request("If-Match: \"a\"").unconditional.isPlainGet)
    }
}
