import Foundation
import ImageCore
import Testing

@testable import ImageLoading

@Suite("What identifies a request")
struct RequestIdentityTests {
    private struct Step: ImageProcessor {
        var identifier: String
        func process(_ bitmap: Bitmap) -> Bitmap { bitmap }
    }

    private func request(_ url: String, headers: [String: String] = [:]) throws -> ImageRequest {
        ImageRequest(url: try #require(URL(string: url)), headers: headers)
    }

    @Test("the fragment does not count, the query does")
    func fragment() throws {
        #expect(try request("http://h/a#x").source == request("http://h/a").source)
        #expect(try request("http://h/a?x").source != request("http://h/a").source)
    }

    @Test("another Authorization is another picture, and no credential stands in the key")
    func headers() throws {
        let mine = try request("http://h/a", headers: ["Authorization": "Bearer secret"])
        #expect(mine.source != (try request("http://h/a").source))
        #expect(mine.source != (try request("http://h/a", headers: ["Authorization": "Bearer other"]).source))
        #expect(mine.source == (try request("http://h/a", headers: ["authorization": "Bearer secret"]).source))
        #expect(!mine.source.contains("secret"))
    }

    @Test("size, mode, upscaling and steps make another picture, priority does not")
    func variants() throws {
        var request = try request("http://h/a")
        var seen: Set<ImageCacheKey> = [request.cacheKey]
        request.target = ImageTarget(PixelSize(width: 30, height: 20))
        seen.insert(request.cacheKey)
        request.target?.mode = .fill
        seen.insert(request.cacheKey)
        request.target?.upscales = true
        seen.insert(request.cacheKey)
        request.processors = [Step(identifier: "a"), Step(identifier: "b")]
        seen.insert(request.cacheKey)
        request.processors.reverse()
        seen.insert(request.cacheKey)
        #expect(seen.count == 6)
        request.priority = .veryHigh
        #expect(seen.contains(request.cacheKey))
    }

    @Test(
        "URLs that nothing could load are refused",
        arguments: [
            ("/a/path", false), ("http://", false), ("https:///a", false), ("http://h", true), ("file:///a", true),
            ("data:,x", true),
        ])
    func validation(url: String, isValid: Bool) throws {
        let request = try request(url)
        if isValid {
            try request.validate()
        } else {
            #expect(throws: ImageError.self) { try request.validate() }
        }
    }
}
