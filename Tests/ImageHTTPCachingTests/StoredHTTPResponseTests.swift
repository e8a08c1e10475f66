import Foundation
import HTTPTypes
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Conditional and range requests")
struct ConditionalResponseTests {
    private func evaluate(_ lines: String..., of response: StoredHTTPResponse) -> ConditionalResponse {
        response.conditionalResponse(to: HTTPCacheRequest(headers: HTTPFields(lines)), byteCount: 100)
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
        let head = HTTPCacheRequest(method: .head, headers: HTTPFields(["Range: bytes=0-1"]))
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

@Suite("Validation and invalidation (RFC 9111, 4.3 and 4.4)")
struct ValidationTests {
    static func confirmed(_ response: StoredHTTPResponse, _ lines: String...) -> StoredHTTPResponse? {
        response.freshened(byNotModified: head(lines, status: 304), requestTime: noon + 100, responseTime: noon + 101)
    }

    @Test("a 304 replaces the fields it contains, and keeps the other fields, the status and the variant")
    func update() throws {
        let response = stored(
            "Cache-Control: max-age=1", "ETag: \"a\"", "Age: 50", "X: 1", "X: 2", "Y: 3", "Vary: Accept",
            to: HTTPFields(["Accept: b"]))
        let updated = try #require(
            Self.confirmed(
                response, "cache-control: max-age=60", "ETag: \"a\"", "x: 4", "Connection: x-hop", "X-Hop: 5"))
        #expect(updated.headers[.cacheControl] == "max-age=60")
        let x = try #require(HTTPField.Name("X"))
        let y = try #require(HTTPField.Name("Y"))
        #expect(updated.headers[values: x] == ["4"])
        #expect(updated.headers[y] == "3")
        #expect(updated.status == 200 && updated.selectingFields == ["accept"])
        #expect(updated.headers.count == 5)
        #expect(updated.headers(at: noon + 101)[.date] == date(101))
        #expect(updated.age(at: noon + 101) == .seconds(1))
        #expect(updated.requestTime == noon + 100 && updated.responseTime == noon + 101)
    }

    @Test(
        "after a 304, the age counts from its Date, or from its arrival if it has no valid one (RFC 9110, 6.6.1)",
        arguments: [
            ([], 0), (["Date: "], 0), (["Date: yesterday"], 0), (["Date: 0"], 0), (["Date: \(date(101))"], 0),
            (["Date: \(date(91))"], 10), (["Date: \(date(5_000))"], 0), (["Age: 7"], 7), (["Age: x"], 0),
            (["Age: -7"], 0),
            (["Date: \(date(91))", "Age: 3"], 10), (["Date: \(date(91))", "Age: 30"], 30),
            (["Date: soon", "Age: 30"], 30),
            (["Date: \(date(100))", "Date: \(date(0))"], 1), (["date: \(date(61))"], 40),
        ] as [([String], Int)])
    func age(_ lines: [String], _ age: Int) throws {
        let arrival = noon + 101
        for date in [["Date: \(date(0))"], []] {
            let head = head(["Cache-Control: max-age=60", "Age: 50", "ETag: \"a\""] + date)
            let response = StoredHTTPResponse(head, to: [:], requestTime: noon, responseTime: noon)
            let byHead = response.freshened(
                byHead: ImageHTTPCachingTests.head(lines), requestTime: arrival, responseTime: arrival)
            let confirmed = response.freshened(
                byNotModified: ImageHTTPCachingTests.head(lines, status: 304), requestTime: arrival,
                responseTime: arrival)
            for updated in try [#require(byHead), #require(confirmed)] {
                #expect(updated.age(at: arrival) == .seconds(age))
                #expect((RFC9111Policy().reuse(updated, for: request(), at: arrival) == .fresh) == (age < 60))
                #expect(HTTPDate.parse(updated.headers(at: arrival)[values: .date].first ?? "", now: arrival) != nil)
            }
        }
    }

    @Test("heuristic lifetimes restart with a 304 without Date, and Expires keeps its time")
    func lifetimes() throws {
        // The validation took a second.
        let heuristic = try #require(Self.confirmed(stored("Last-Modified: \(date(-899))", "Date: \(date(0))")))
        #expect(RFC9111Policy().reuse(heuristic, for: request(), at: noon + 101 + 98) == .fresh)
        #expect(RFC9111Policy().reuse(heuristic, for: request(), at: noon + 101 + 99) != .fresh)
        let expiring = try #require(Self.confirmed(stored("Expires: \(date(150))", "Date: \(date(0))")))
        #expect(RFC9111Policy().reuse(expiring, for: request(), at: noon + 148) == .fresh)
        #expect(RFC9111Policy().reuse(expiring, for: request(), at: noon + 149) != .fresh)
    }

    @Test("an entity tag that isn't UTF-8 is sent back and compared by its bytes")
    func bytes() throws {
        func tagged(_ byte: UInt8, status: Int = 200) -> ResponseHead {
            var answer = head([], status: status)
            answer.headers.append(HTTPField(name: .eTag, value: Array("\"a".utf8) + [byte, 0x22]))
            return answer
        }
        let response = StoredHTTPResponse(tagged(0xE9), to: [:], requestTime: noon, responseTime: noon)
        let relaunched = try JSONDecoder().decode(StoredHTTPResponse.self, from: JSONEncoder().encode(response))
        #expect(relaunched == response)
        let sent = try #require(relaunched.validationFields[fields: .ifNoneMatch].first)
        #expect(unsafe sent.withUnsafeBytesOfValue { unsafe Array($0) } == Array("\"a".utf8) + [0xE9, 0x22])
        for (byte, isSame) in [(UInt8(0xE9), true), (0xE8, false)] {
            let newer = tagged(byte, status: 304)
            let updated = response.freshened(byNotModified: newer, requestTime: noon, responseTime: noon)
            #expect((updated != nil) == isSame)
            var request = request()
            request.headers.append(HTTPField(name: .ifNoneMatch, value: Array("\"b\", \"a".utf8) + [byte, 0x22]))
            #expect((response.conditionalResponse(to: request, byteCount: 9) == .notModified) == isSame)
        }
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

    @Test("an answer to HEAD with another status, or another length, changes nothing")
    func headOfOther() {
        let response = stored("ETag: \"a\"", "Content-Length: 10")
        func freshened(_ lines: String..., status: Int = 200) -> StoredHTTPResponse? {
            response.freshened(byHead: head(lines, status: status), requestTime: noon, responseTime: noon)
        }
        #expect(freshened("ETag: \"a\"", "Content-Length: 10") != nil)
        #expect(freshened("ETag: \"a\"", "Content-Length: 11") == nil)
        #expect(freshened("ETag: \"a\"", status: 404) == nil)
    }

    @Test("the stored URL has no user name and no password")
    func credentials() {
        #expect(stored(url: "https://me:secret@images.test/1.jpg").url.absoluteString == "https://images.test/1.jpg")
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
}
