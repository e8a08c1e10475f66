import Foundation
import ImageCore
import Testing

@testable import ImageTesting

@Suite("Identity of requests")
struct RequestIdentityTests {
    private func request(_ url: String, headers: HeaderFields = [:]) throws -> ImageRequest {
        ImageRequest(url: try #require(URL(string: url)), headers: headers)
    }

    @Test("a changed copy has the same key as a request created with the changes")
    func changedCopies() throws {
        let first = try request("http://h/a")
        let key = first.cacheKey
        var copy = first
        copy.target = ImageTarget(PixelSize(width: 8, height: 8))
        #expect(copy.cacheKey == ImageCacheKey(identifier: "http://h/a", target: copy.target))
        #expect(first.cacheKey == key && key.target == nil)
        copy.identifier = "b"
        #expect(copy.cacheKey == ImageCacheKey(identifier: "identifier b", target: copy.target))
        copy.target = nil
        #expect(copy.cacheKey == ImageCacheKey(identifier: "identifier b"))
    }

    @Test("another Authorization identifies another image, and the key contains no credentials")
    func headers() throws {
        let mine = try request("http://h/a", headers: ["Authorization": "Bearer secret"])
        #expect(try mine.original != request("http://h/a").original)
        #expect(try mine.original != request("http://h/a", headers: ["Authorization": "Bearer other"]).original)
        #expect(try mine.original == request("http://h/a", headers: ["authorization": "Bearer secret"]).original)
        #expect(!mine.original.identifier.contains("secret"))
    }

    /// Pairs of requests for different images, whose texts are the same if they are joined without a structure.
    static let different: [(String, ImageRequest, ImageRequest)] = {
        func named(_ identifier: String, _ headers: HeaderFields = [:]) -> ImageRequest {
            var request = ImageRequest(.data(Data(), name: "a"), headers: headers)
            request.identifier = identifier
            return request
        }
        func processed(_ processors: any ImageProcessor...) -> ImageRequest {
            ImageRequest(.data(Data(), name: "a"), processors: processors)
        }
        func step(_ identifier: String) -> FakeProcessor { FakeProcessor(identifier) }
        func fetched(_ name: String) -> ImageRequest { ImageRequest(.fetch(name: name) { Data() }) }
        let long = String(repeating: "a", count: 5_000)
        let digest = named("b", ["A": "1"]).cacheKey.identifier.split(separator: " ").map(String.init)
        return [
            ("kinds", ImageRequest(.data(Data(), name: "x")), fetched("x")),
            ("a kind in an identity", ImageRequest(.data(Data(), name: "x")), named("data x")),
            ("a fetch and an identity", fetched("x"), named("x")),
            ("processors", processed(step("a"), step("b")), processed(step("ab"))),
            ("last processors", processed(step("a"), step("b")), processed(step("a"), step("c"))),
            ("a comma", processed(step("a"), step("b")), processed(step("a,b"))),
            ("lines of headers", named("b", ["A": "1\nb: 2"]), named("b", ["A": "1", "B": "2"])),
            ("a colon in a header", named("b", ["A:": "1"]), named("b", ["A": ": 1"])),
            ("a digest in an identity", named("b", ["A": "1"]), named("b \(digest[1])")),
            ("headers in an identifier", named("b", ["A": "1"]), named(named("b", ["A": "1"]).cacheKey.identifier)),
            ("long texts", named(long + "1"), named(long + "2")),
            ("a long text and its digest", named(long), named(named(long).cacheKey.identifier)),
            ("a long name and a long identity", fetched(long), named(long)),
        ]
    }()

    @Test("requests for different images never have the same key", arguments: 0..<different.count)
    func neverShared(index: Int) {
        let (name, first, second) = Self.different[index]
        #expect(first.cacheKey != second.cacheKey, "\(name)")
        #expect(first != second, "\(name)")
    }

    @Test("a long text is replaced with a digest, so that keys are short", arguments: [1_000, 100_000])
    func longTexts(length: Int) throws {
        let text = String(repeating: "a", count: length)
        var named = ImageRequest(.data(Data(), name: text))
        let requests = [
            named, try request("data:image/png;base64,\(text)"), try request("http://h/\(text)"),
            ImageRequest(.fetch(name: text) { Data() }),
        ]
        named.identifier = text
        for request in requests + [named] {
            #expect(request.cacheKey.identifier.utf8.count <= 1_024)
            #expect(request.cacheKey.identifier.contains(text) == (length < 1_024))
            #expect(request.cacheKey == request.cacheKey)
        }
        #expect(Set((requests + [named]).map(\.cacheKey)).count == 5)
    }
}
