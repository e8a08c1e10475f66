import ImageCore
import Testing

@testable import FeedOrigin

@Suite("Image renderer with the encoders of the modules")
struct ImageRendererTests {
    @Test("each kind of image in the feed has its format and is reproducible", arguments: 1...20)
    func files(id: Int) throws {
        let recipe = PhotoFeed.recipe(id).thumbnail(40)
        let image = try renderer.render(recipe)
        let signatures: [ImageFormat: [UInt8]] = [
            .jpeg: [0xFF, 0xD8, 0xFF], .png: Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) }),
            .webP: Array("RIFF".utf8), .gif: Array("GIF89a".utf8),
        ]
        #expect(image.bytes.starts(with: try #require(signatures[recipe.format])))
        #expect(try renderer.render(recipe) == image)
    }

    @Test("progressive and baseline JPEG differ, lossy and lossless WebP differ, and so do their entity tags")
    func options() throws {
        var plain = ImageRecipe(id: 3, format: .jpeg, width: 40, height: 30)
        var modified = plain
        modified.isProgressive = true
        #expect(try marker(0xC0, in: renderer.render(plain)) && marker(0xC2, in: renderer.render(modified)))
        #expect(try renderer.render(plain).entityTag != renderer.render(modified).entityTag)
        plain.format = .webP
        modified = plain
        modified.isLossless = true
        #expect(try renderer.render(modified).bytes.count > renderer.render(plain).bytes.count)
    }

    /// Returns whether a JPEG has a start-of-frame marker of this kind (ITU-T T.81, table B.1).
    private func marker(_ kind: UInt8, in image: RenderedImage) -> Bool {
        zip(image.bytes, image.bytes.dropFirst()).contains { $0 == 0xFF && $1 == kind }
    }
}
