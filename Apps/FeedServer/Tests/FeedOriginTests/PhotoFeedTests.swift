import Foundation
import ImageCore
import ImageThumbHash
import Testing

@testable import FeedOrigin

@Suite("Photo feed")
struct PhotoFeedTests {
    private let feed = PhotoFeed(count: 25)

    @Test(
        "pages have the photos in order, the last page is shorter, and pages past the end are empty",
        arguments: [
            (1, 10, 1...10), (2, 10, 11...20), (3, 10, 21...25), (1, 500, 1...25), (4, 10, nil), (Int.max, 500, nil),
        ])
    func pages(page: Int, limit: Int, ids: ClosedRange<Int>?) {
        #expect(feed.page(page, limit: limit, origin: "").map(\.id) == ids.map(Array.init) ?? [])
    }

    @Test("a photo has six members of the correct types, and absolute URLs")
    func json() throws {
        let photo = feed.photo(7, origin: "http://localhost:8080")
        let object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(photo)) as? [String: Any])
        #expect(Set(object.keys) == ["albumId", "id", "title", "url", "thumbnailUrl", "thumbHash"])
        #expect(object["albumId"] as? Int == 1)
        #expect(object["id"] as? Int == 7)
        #expect((object["title"] as? String)?.isEmpty == false)
        for key in ["url", "thumbnailUrl"] {
            #expect(URL(string: object[key] as? String ?? "")?.host() == "localhost")
        }
    }

    @Test("the hash of a photo has the colors, shape and transparency of its thumbnail", arguments: 1...20)
    func thumbHash(id: Int) {
        let recipe = PhotoFeed.recipe(id)
        let thumbnail = ThumbHash(bitmap: ImageRenderer.firstFrame(of: recipe.thumbnail(100)))
        let hash = feed.photo(id, origin: "").thumbHash
        #expect(hash.hasAlpha == recipe.hasAlpha)
        #expect(hash.aspectRatio == thumbnail.aspectRatio)
        let (pixels, expected) = (hash.bitmap().pixels, thumbnail.bitmap().pixels)
        for channel in 0..<3 {
            func sum(_ pixels: [UInt8]) -> Int {
                stride(from: channel, to: pixels.count, by: 4).reduce(0) { $0 + Int(pixels[$1]) }
            }
            #expect(abs(sum(pixels) - sum(expected)) < pixels.count / 4 * 20)
        }
    }

    @Test("twenty photos include every kind of image")
    func mix() {
        let recipes = (1...20).map(PhotoFeed.recipe)
        let kinds: [(String, (ImageRecipe) -> Bool)] = [
            ("baseline JPEG", { $0.format == .jpeg && !$0.isProgressive }),
            ("progressive", { $0.format == .jpeg && $0.isProgressive }),
            ("PNG", { $0.format == .png && !$0.hasAlpha }), ("PNG with alpha", { $0.format == .png && $0.hasAlpha }),
            ("lossy WebP", { $0.format == .webP && !$0.isLossless }),
            ("lossless WebP", { $0.format == .webP && $0.isLossless }),
            ("still GIF", { $0.format == .gif && $0.frames == nil }),
            ("animated GIF", { $0.format == .gif && $0.frames ?? 0 > 1 }),
            ("animated WebP", { $0.format == .webP && $0.frames ?? 0 > 1 }),
        ]
        for (name, fits) in kinds { #expect(recipes.contains(where: fits), "\(name)") }
        #expect(recipes.allSatisfy { max($0.thumbnail(300).width, $0.thumbnail(300).height) == 300 })
    }

    @Test("each URL of the feed can be parsed back", arguments: 1...20)
    func roundTrip(id: Int) throws {
        let recipe = PhotoFeed.recipe(id)
        #expect(try ImageRecipe(Target(recipe.target)) == recipe)
        #expect(try ImageRecipe(Target(recipe.thumbnail(300).target)) == recipe.thumbnail(300))
    }

    @Test(
        "invalid and unsupported options are rejected",
        arguments: [
            "1.jpg?w=0", "1.jpg?w=8193", "1.jpg?h=x", "1.jpg?w=8000&h=8000", "1.jpg?alpha=1", "1.jpg?animated=1",
            "1.jpg?lossless=1",
            "1.webp?progressive=1", "1.gif?animated=1&frames=200&w=1000&h=1000", "1.jpg?quality=0", "1.png?alpha=yes",
            "1.gif?frames=0",
        ])
    func refused(target: String) throws {
        let request = try Target("/images/" + target)
        #expect(throws: BadRequest.self) { try ImageRecipe(request) }
    }

    @Test(
        "other paths are not images",
        arguments: ["/images/1.bmp", "/images/x.jpg", "/images/1", "/images/-1.jpg", "/1.jpg"])
    func others(path: String) throws {
        #expect(try ImageRecipe(Target(path)) == nil)
    }
}
