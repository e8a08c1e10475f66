import Foundation
import HTTPTypes
import ImageTransporting
import Testing

@testable import ImageTransportResuming

@Suite("What a response to the rest of a body means")
struct PartialDownloadTests {
    private let url: URL
    private let now = Date(timeIntervalSince1970: 784_111_777)

    init() throws { url = try #require(URL(string: "http://a/b")) }

    private func head(_ status: Int, _ headers: HTTPFields, bytes: Int? = 100, at url: URL? = nil) -> ResponseHead {
        ResponseHead(status: .init(code: status), headers: headers, url: url ?? self.url, expectedBytes: bytes)
    }

    private func partial(_ headers: HTTPFields = [.eTag: "\"1\""]) throws -> PartialDownload {
        try #require(PartialDownload(head(200, headers), now: now))
    }

    @Test("a whole response with a length and a strong validator can be gone on with")
    func resumable() throws {
        #expect(try partial().validator == "\"1\"")
        let dated: HTTPFields = [
            .lastModified: "Sun, 06 Nov 1994 08:49:36 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT",
        ]
        #expect(try partial(dated).validator == "Sun, 06 Nov 1994 08:49:36 GMT")
    }

    @Test(
        "one that is weak, coded, partial, of unknown length or not to be stored can't",
        arguments: [
            [.eTag: "W/\"1\""], [:], [.eTag: "\"1\"", .contentEncoding: "gzip"],
            [.eTag: "\"1\"", .cacheControl: "private, No-Store"], [.eTag: "\"1\"", .acceptRanges: "none"],
            [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT"],
            [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"],
        ] as [HTTPFields])
    func unresumable(_ headers: HTTPFields) {
        #expect(PartialDownload(head(200, headers), now: now) == nil)
    }

    @Test("neither can one of another status or without a length")
    func otherStatuses() {
        #expect(PartialDownload(head(206, [.eTag: "\"1\""]), now: now) == nil)
        #expect(PartialDownload(head(200, [.eTag: "\"1\""], bytes: nil), now: now) == nil)
    }

    @Test("the rest is asked for on condition that the body is the same")
    func request() throws {
        let asked = try partial().request(TransportRequest(url: url, headers: [.accept: "image/*"]), from: 40)
        #expect(asked.headers == [.accept: "image/*", .range: "bytes=40-", .ifRange: "\"1\""])
    }

    @Test("a part that fits goes on under the head of the whole, brought up to date")
    func fits() throws {
        let first: HTTPFields = [
            .eTag: "\"1\"", .contentType: "image/png", .contentLength: "100", .cacheControl: "max-age=1",
        ]
        let part = head(
            206, [.contentRange: "bytes 40-99/100", .contentLength: "60", .cacheControl: "max-age=2"], bytes: 60)
        let whole: HTTPFields = [
            .eTag: "\"1\"", .contentType: "image/png", .contentLength: "100", .cacheControl: "max-age=2",
        ]
        #expect(try partial(first).verdict(on: part, offset: 40) == .goesOn(head(200, whole)))
    }

    @Test(
        "a part that does not fit makes everything be asked for again",
        arguments: [
            [.contentRange: "bytes 41-99/100"], [.contentRange: "bytes 39-99/100"], [.contentRange: "bytes 40-98/100"],
            [.contentRange: "bytes 40-99/*"], [.contentRange: "bytes 40-100/101"], [:],
            [.contentRange: "bytes 40-99/100", .eTag: "\"2\""],
            [.contentRange: "bytes 40-99/100", .eTag: "W/\"1\""],
            [.contentRange: "bytes 40-99/100", .contentEncoding: "gzip"],
        ] as [HTTPFields])
    func misfits(_ headers: HTTPFields) throws {
        #expect(try partial().verdict(on: head(206, headers), offset: 40) == .asksAgain)
    }

    @Test("a part that comes from another address does not fit")
    func otherAddress() throws {
        let elsewhere = head(206, [.contentRange: "bytes 40-99/100"], at: URL(string: "http://a/c"))
        #expect(try partial().verdict(on: elsewhere, offset: 40) == .asksAgain)
    }

    @Test("200 starts anew, 416 makes everything be asked for again, anything else is not about the body")
    func statuses() throws {
        #expect(try partial().verdict(on: head(200, [:]), offset: 40) == .startsAnew)
        #expect(try partial().verdict(on: head(416, [:]), offset: 40) == .asksAgain)
        for status in [304, 403, 404, 500, 503] {
            #expect(try partial().verdict(on: head(status, [:]), offset: 40) == .passesThrough)
        }
    }

    @Test(
        "Content-Range is read by its grammar",
        arguments: [
            ("bytes 0-0/1", 0, 0, 1), ("Bytes 5-9/*", 5, 9, nil), ("bytes 0-99/100", 0, 99, 100),
        ] as [(String, Int, Int, Int?)])
    func grammar(_ text: String, _ first: Int, _ last: Int, _ total: Int?) throws {
        let read = try #require(ContentRange(text))
        #expect(read.range == first...last)
        #expect(read.totalBytes == total)
    }

    @Test(
        "and anything else is no range",
        arguments: [
            "", "bytes", "bytes */100", "bytes 9-5/100", "bytes 0-100/100", "items 0-1/2", "bytes 0-1", "bytes -1-5/9",
            "bytes 0-1/x", "bytes 0-1/2/3", "bytes 0 -1/2", "bytes 0-99999999999999999999/*",
        ])
    func noRange(_ text: String) { #expect(ContentRange(text) == nil) }
}
