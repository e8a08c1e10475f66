import Foundation
import ImageCore
import ImageLoading
import PhotoFeedModel
import Testing

@Suite("Variants of the demo server")
struct DemoVariantTests {
    @Test(
        "the demo server draws the image so that it fits or fills, and never enlarges it",
        arguments: [
            (ImageTarget.Mode.fit, 300, 300, "alpha=1&h=200&quality=80&w=300"),
            (.fill, 300, 300, "alpha=1&h=300&quality=80&w=450"),
            (.fill, 3_000, 3_000, "alpha=1&h=800&quality=80&w=1200"),
        ] as [(ImageTarget.Mode, Int, Int, String)])
    func sizes(mode: ImageTarget.Mode, width: Int, height: Int, query: String) throws {
        let source = try #require(URL(string: "http://h:1/images/5.png?w=1200&h=800&alpha=1&progressive=1"))
        let variant = ImageVariant(source: source, width: width, height: height, mode: mode, quality: 80, format: .webP)
        #expect(ImageVariants.demo.url(for: variant)?.absoluteString == "http://h:1/images/5.webp?" + query)
    }

    @Test(
        "images of other servers have none, nor do those without a size from 1 to 65,535",
        arguments: ["http://h/a.jpg?w=1&h=1", "http://h/images/1.jpg", "http://h/images/x"]
            + ["0", "65536", "1e300", "inf", "nan"].map { "http://h/images/1.jpg?w=1&h=\($0)" })
    func others(text: String) throws {
        let variant = ImageVariant(
            source: try #require(URL(string: text)), width: 1, height: 1, mode: .fit, quality: 80, format: nil)
        #expect(ImageVariants.demo.url(for: variant) == nil)
    }
}
