import Foundation
import ImageCore
import Testing

@testable import ImageLoading

@Suite("Identity of requests")
struct RequestIdentityTests {
    private struct NamedProcessor: ImageProcessor {
        var identifier: String
        func process(_ bitmap: Bitmap) -> Bitmap { bitmap }
    }

    private func request(_ url: String, headers: [String: String] = [:]) throws -> ImageRequest {
        ImageRequest(url: try #require(URL(string: url)), headers: headers)
    }

    @Test("the fragment is not part of the identity, the query is")
    func fragment() throws {
        #expect(try request("http://h/a#x").original == request("http://h/a").original)
        #expect(try request("http://h/a?x").original != request("http://h/a").original)
    }

    @Test("a changed copy has the same key as a request created with the changes")
    func changedCopies() throws {
        let first = try request("http://h/a")
        let key = first.cacheKey
        var copy = first
        copy.target = ImageTarget(PixelSize(width: 8, height: 8))
        #expect(copy.cacheKey == ImageCacheKey(source: "http://h/a", target: copy.target))
        #expect(first.cacheKey == key && key.target == nil)
        copy.identity = "b"
        #expect(copy.cacheKey == ImageCacheKey(source: "identity b", target: copy.target))
        copy.target = nil
        #expect(copy.cacheKey == ImageCacheKey(source: "identity b"))
    }

    @Test("another Authorization identifies another image, and the key contains no credentials")
    func headers() throws {
        let mine = try request("http://h/a", headers: ["Authorization": "Bearer secret"])
        #expect(try mine.original != request("http://h/a").original)
        #expect(try mine.original != request("http://h/a", headers: ["Authorization": "Bearer other"]).original)
        #expect(try mine.original == request("http://h/a", headers: ["authorization": "Bearer secret"]).original)
        #expect(!mine.original.source.contains("secret"))
    }

    @Test("size, mode, upscaling and processors identify another image, priority does not")
    func variants() throws {
        var request = try request("http://h/a")
        var seen: Set<ImageCacheKey> = [request.cacheKey]
        request.target = ImageTarget(PixelSize(width: 30, height: 20))
        seen.insert(request.cacheKey)
        request.target?.mode = .fill
        seen.insert(request.cacheKey)
        request.target?.upscales = true
        seen.insert(request.cacheKey)
        request.processors = [NamedProcessor(identifier: "a"), NamedProcessor(identifier: "b")]
        seen.insert(request.cacheKey)
        request.processors.reverse()
        seen.insert(request.cacheKey)
        #expect(seen.count == 6)
        request.priority = .veryHigh
        #expect(seen.contains(request.cacheKey))
    }

    @Test(
        "URLs that can't be loaded are rejected",
        arguments: [
            ("/a/path", false), ("http://", false), ("https:///a", false), ("http://h", true), ("file:///a", true),
            ("data:,x", true),
        ])
    func validation(url: String, isValid: Bool) throws {
        let request = try request(url)
        if isValid {
            try request.url?.checkIsLoadable()
        } else {
            #expect(throws: ImageError.self) { try request.url?.checkIsLoadable() }
        }
    }
}
