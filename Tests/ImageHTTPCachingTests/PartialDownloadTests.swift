import Foundation
import HTTPTypes
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Partial download")
struct PartialDownloadTests {
    private let url: URL
    private let now = Date(timeIntervalSince1970: 784_111_777)

    init() throws { url = try #require(URL(string: "http://a/b")) }

    private func head(_ status: Int, _ headers: HTTPFields, bytes: Int? = 100, at url: URL? = nil) -> ResponseHead {
        ResponseHead(status: .init(code: status), headers: headers, url: url ?? self.url, expectedByteCount: bytes)
    }

    private func partial(_ headers: HTTPFields = [.eTag: "\"1\""]) throws -> PartialDownload {
        try #require(PartialDownload(head(200, headers), now: now))
    }

    @Test("a complete response with a length and a strong validator can be resumed")
    func resumable() throws {
        #expect(try partial().validator == "\"1\"")
        #expect(PartialDownload(head(203, [.eTag: "\"1\""]), now: now) == nil)
        let dated: HTTPFields = [
            .lastModified: "Sun, 06 Nov 1994 08:49:36 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT",
        ]
        #expect(try partial(dated).validator == "Sun, 06 Nov 1994 08:49:36 GMT")
    }

    @Test(
        "a response with a weak validator, a content coding, no ranges or no-store can't be resumed",
        arguments: [
            [.eTag: "W/\"1\""], [:], [.eTag: "\"1\"", .contentEncoding: "gzip"],
            [.eTag: "\"1\"", .cacheControl: "private, No-Store"], [.eTag: "\"1\"", .acceptRanges: "None"],
            [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT"],
            [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"],
        ] as [HTTPFields])
    func unresumable(_ headers: HTTPFields) {
        #expect(PartialDownload(head(200, headers), now: now) == nil)
    }

    @Test("the request for the rest has a Range and an If-Range")
    func request() throws {
        let asked = try partial().request(TransportRequest(url: url, headers: [.accept: "image/*"]), from: 40)
        #expect(asked.headers == [.accept: "image/*", .range: "bytes=40-", .ifRange: "\"1\""])
    }

    @Test("a matching part resumes the body with the updated head of the complete response")
    func fits() throws {
        let first: HTTPFields = [
            .eTag: "\"1\"", .contentType: "image/png", .contentLength: "100", .cacheControl: "max-age=1",
        ]
        let part = head(
            206,
            [
                .contentRange: "bytes 40-99/100", .contentLength: "60", .cacheControl: "max-age=2", .eTag: "\"1\"",
            ], bytes: 60)
        let whole: HTTPFields = [
            .contentType: "image/png", .contentLength: "100", .cacheControl: "max-age=2", .eTag: "\"1\"",
        ]
        #expect(try partial(first).outcome(of: part, offset: 40) == .resumes(head(200, whole)))
    }

    @Test(
        "a content coding that isn't decoded doesn't prevent resuming", arguments: ["", "UTF-8", "aws-chunked", "br"])
    func unknownCoding(_ coding: String) throws {
        let partial = try partial([.eTag: "\"1\"", .contentEncoding: coding])
        let part = head(206, [.contentRange: "bytes 40-99/100", .contentEncoding: coding, .eTag: "\"1\""], bytes: 60)
        guard case .resumes = partial.outcome(of: part, offset: 40) else {
            Issue.record("not resumed")
            return
        }
    }

    @Test("Date and Age of the interrupted response don't apply to the resumed one")
    func age() throws {
        let first: HTTPFields = [.eTag: "\"1\"", .date: "Sun, 06 Nov 1994 08:49:37 GMT", .age: "7"]
        let part = head(206, [.contentRange: "bytes 40-99/100", .eTag: "\"1\""], bytes: 60)
        #expect(try partial(first).outcome(of: part, offset: 40) == .resumes(head(200, [.eTag: "\"1\""])))
        let dated = head(
            206, [.contentRange: "bytes 40-99/100", .eTag: "\"1\"", .date: "Mon, 07 Nov 1994 08:49:37 GMT"], bytes: 60)
        let whole: HTTPFields = [.eTag: "\"1\"", .date: "Mon, 07 Nov 1994 08:49:37 GMT"]
        #expect(try partial(first).outcome(of: dated, offset: 40) == .resumes(head(200, whole)))
    }

    @Test("an entity tag that isn't UTF-8 is stored, sent and compared by its bytes")
    func bytes() throws {
        func tagged(_ status: Int, _ byte: UInt8, _ fields: HTTPFields = [:]) -> ResponseHead {
            var fields = fields
            fields.append(HTTPField(name: .eTag, value: [0x22, byte, 0x22]))
            return head(status, fields, bytes: status == 206 ? 60 : 100)
        }
        let first = try #require(PartialDownload(tagged(200, 0xE9), now: now))
        let partial = try JSONDecoder().decode(PartialDownload.self, from: JSONEncoder().encode(first))
        let sent = partial.request(TransportRequest(url: url), from: 40).headers[fields: .ifRange]
        #expect(sent == [HTTPField(name: .ifRange, value: [0x22, 0xE9, 0x22] as [UInt8])])
        let range: HTTPFields = [.contentRange: "bytes 40-99/100"]
        #expect(partial.outcome(of: tagged(206, 0xE9, range), offset: 40) == .resumes(tagged(200, 0xE9)))
        #expect(partial.outcome(of: head(206, range, bytes: 60), offset: 40) == .fetchesAgain)
        #expect(partial.outcome(of: tagged(206, 0xE8, range), offset: 40) == .fetchesAgain)
    }

    @Test(
        "after a part that isn't proven to continue the body, the complete body is requested again",
        arguments: [
            [.contentRange: "bytes 41-99/100"], [.contentRange: "bytes 39-99/100"], [.contentRange: "bytes 40-98/100"],
            [.contentRange: "bytes 0-99/100"], [.contentRange: "bytes 40-99/*"], [.contentRange: "bytes 40-100/101"],
            [:], [.eTag: "\"2\""], [.eTag: "W/\"1\""], [.eTag: ""], [.contentEncoding: "gzip"],
            [.contentType: "multipart/byteranges; boundary=x"],
        ] as [HTTPFields])
    func misfits(_ changes: HTTPFields) throws {
        var fields: HTTPFields = [.contentRange: "bytes 40-99/100", .eTag: "\"1\""]
        #expect(try partial().outcome(of: head(206, fields, bytes: 60), offset: 40) != .fetchesAgain)
        if changes.isEmpty { fields[.contentRange] = nil }
        for field in changes { fields[field.name] = field.value.isEmpty ? nil : field.value }
        #expect(try partial().outcome(of: head(206, fields, bytes: 60), offset: 40) == .fetchesAgain)
    }

    @Test("a part with the validator that is a date must repeat it")
    func dateMissing() throws {
        let date = "Sun, 06 Nov 1994 08:49:36 GMT"
        let partial = try partial([.lastModified: date, .date: "Sun, 06 Nov 1994 08:49:37 GMT"])
        var fields: HTTPFields = [.contentRange: "bytes 40-99/100"]
        #expect(partial.outcome(of: head(206, fields, bytes: 60), offset: 40) == .fetchesAgain)
        fields[.lastModified] = date
        #expect(partial.outcome(of: head(206, fields, bytes: 60), offset: 40) != .fetchesAgain)
    }

    @Test("a part from another address, for example after another redirect, is not used")
    func otherAddress() throws {
        let fields: HTTPFields = [.contentRange: "bytes 40-99/100", .eTag: "\"1\""]
        let other = head(206, fields, bytes: 60, at: url.appending(path: "c"))
        #expect(try partial().outcome(of: other, offset: 40) == .fetchesAgain)
    }

    @Test("a part whose length contradicts its range is not used", arguments: [100, 59, 0])
    func contradictingLength(_ bytes: Int) throws {
        let fields: HTTPFields = [.contentRange: "bytes 40-99/100", .eTag: "\"1\""]
        #expect(try partial().outcome(of: head(206, fields, bytes: bytes), offset: 40) == .fetchesAgain)
    }

    @Test("a response with status 200 restarts the body, unless it has only a part of it")
    func restarts() throws {
        func outcome(_ fields: HTTPFields, bytes: Int?) throws -> PartialDownload.Outcome {
            try partial().outcome(of: head(200, fields, bytes: bytes), offset: 40)
        }
        #expect(try outcome([.eTag: "\"2\""], bytes: 60) == .restarts)
        #expect(try outcome([.eTag: "\"1\""], bytes: 100) == .restarts)
        #expect(try outcome([.eTag: "\"1\"", .contentRange: "bytes 0-99/100"], bytes: 100) == .restarts)
        #expect(try outcome([:], bytes: nil) == .restarts)
        #expect(try outcome([.eTag: "\"1\""], bytes: 60) == .fetchesAgain)
        for range in ["bytes 40-99/100", "bytes 40-99/*", "bytes */100", "items 1-2/3", ""] {
            #expect(try outcome([.eTag: "\"2\"", .contentRange: range], bytes: 60) == .fetchesAgain, "\(range)")
        }
        #expect(try outcome([.contentType: "Multipart/ByteRanges; boundary=x"], bytes: nil) == .fetchesAgain)
        #expect(try partial().outcome(of: head(416, [:]), offset: 40) == .fetchesAgain)
        #expect(try partial().outcome(of: head(503, [:]), offset: 40) == .passesThrough)
    }

    @Test(
        "invalid Content-Range values are rejected",
        arguments: [
            "", "bytes", "bytes */100", "bytes 9-5/100", "bytes 0-100/100", "items 0-1/2", "bytes 0-1", "bytes -1-5/9",
            "bytes 0-1/x", "bytes 0-1/2/3", "bytes 0 -1/2", "bytes 0-99999999999999999999/*",
        ])
    func noRange(_ text: String) {
        #expect(ContentRange(text) == nil)
        #expect(ContentRange("Bytes 0-0/1")?.range == 0...0)
    }
}
