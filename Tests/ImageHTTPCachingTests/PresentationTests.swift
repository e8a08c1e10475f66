import Foundation
import HTTPTypes
import ImageHTTPCaching
import Testing

@Suite("What a request with conditions or a range sees of a stored response")
struct PresentationTests {
    private func presentation(_ lines: String..., of response: StoredHTTPResponse) -> StoredPresentation {
        response.presentation(to: HTTPCacheRequest(headers: fields(lines)), byteCount: 100)
    }

    @Test(
        "If-None-Match: one of the tags, weakly, or any",
        arguments: [
            ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\" , \"c\"", true), ("*", true), ("\"b\"", false),
            ("a", false),
        ])
    func ifNoneMatch(_ field: String, isKnown: Bool) {
        let answer = presentation("If-None-Match: \(field)", of: stored("ETag: \"a\""))
        #expect(answer == (isKnown ? .notModified : .whole))
        #expect(presentation("If-None-Match: \"a\"", of: stored()) == .whole, "no tag, no match")
    }

    @Test("If-Modified-Since: against Last-Modified, or Date; a date that can't be read says nothing")
    func ifModifiedSince() {
        let response = stored("Last-Modified: \(date(-100))")
        #expect(presentation("If-Modified-Since: \(date(-100))", of: response) == .notModified)
        #expect(presentation("If-Modified-Since: \(date(-50))", of: response) == .notModified)
        #expect(presentation("If-Modified-Since: \(date(-101))", of: response) == .whole)
        #expect(presentation("If-Modified-Since: yesterday", of: response) == .whole)
        #expect(presentation("If-Modified-Since: \(date(0))", of: stored("Date: \(date(0))")) == .notModified)
        #expect(presentation("If-Modified-Since: \(date(-1))", of: stored("Date: \(date(0))")) == .whole)
    }

    @Test("If-None-Match counts where both are there")
    func precedence() {
        let response = stored("ETag: \"a\"", "Last-Modified: \(date(-100))")
        #expect(presentation("If-None-Match: \"b\"", "If-Modified-Since: \(date(0))", of: response) == .whole)
        #expect(presentation("If-None-Match: \"a\"", "If-Modified-Since: \(date(-900))", of: response) == .notModified)
    }

    @Test("conditions are for 200 alone")
    func status() {
        #expect(presentation("If-None-Match: *", "Range: bytes=0-1", of: stored("ETag: \"a\"", status: 404)) == .whole)
    }

    @Test(
        "one range within the body is cut out",
        arguments: [
            ("bytes=0-1", 0..<2), ("bytes=98-", 98..<100), ("bytes=-3", 97..<100), ("bytes=90-1000", 90..<100),
            ("BYTES=5-5", 5..<6), ("bytes=-1000", 0..<100), ("bytes= 1 - 2 ", 1..<3),
        ])
    func ranges(_ field: String, bytes: Range<Int>) {
        #expect(presentation("Range: \(field)", of: stored()) == .part(bytes))
    }

    @Test(
        "anything else is passed over",
        arguments: [
            "bytes=100-", "bytes=5-4", "bytes=0-1,3-4", "bytes=-0", "bytes=-", "bytes=+1-2", "bytes=a-b", "pages=1-2",
            "bytes=",
            "bytes=99999999999999999999-", "bytes=0-99999999999999999999",
        ])
    func oddRanges(_ field: String) {
        #expect(presentation("Range: \(field)", of: stored()) == .whole)
    }

    @Test("a range of a coded body counts other bytes than are stored; HEAD has no ranges")
    func codedBody() {
        #expect(presentation("Range: bytes=0-1", of: stored("Content-Encoding: gzip")) == .whole)
        let head = HTTPCacheRequest(method: .head, headers: fields(["Range: bytes=0-1"]))
        #expect(stored().presentation(to: head, byteCount: 100) == .whole)
    }

    @Test("If-Range wants the same strong tag", arguments: [("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false)])
    func ifRange(_ tag: String, isSame: Bool) {
        let answer = presentation("Range: bytes=0-1", "If-Range: \(tag)", of: stored("ETag: \"a\""))
        #expect(answer == (isSame ? .part(0..<2) : .whole))
        #expect(presentation("Range: bytes=0-1", "If-Range: W/\"a\"", of: stored("ETag: W/\"a\"")) == .whole)
    }

    @Test("the head goes with what is shown")
    func heads() {
        let response = stored("Content-Length: 100", "ETag: \"a\"")
        let part = response.headers(response.headers, for: .part(10..<20), byteCount: 100)
        #expect(part[.contentRange] == "bytes 10-19/100" && part[.contentLength] == "10" && part[.eTag] == "\"a\"")
        let known = response.headers(response.headers, for: .notModified, byteCount: 100)
        #expect(known[.contentLength] == nil && known[.eTag] == "\"a\"")
        #expect(response.headers(response.headers, for: .whole, byteCount: 100) == response.headers)
    }

    @Test("what is left without conditions and range is a plain request, unless there are others")
    func unconditional() {
        #expect(
            request("If-None-Match: \"a\"", "If-Modified-Since: x", "Range: y", "If-Range: z").unconditional
                == request())
        #expect(!request("If-Match: \"a\"").unconditional.isPlainGet)
    }
}
