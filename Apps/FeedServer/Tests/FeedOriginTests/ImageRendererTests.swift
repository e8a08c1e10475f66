import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageCore
import Testing

@testable import FeedOrigin

@Suite("The studio with the modules' encoders")
struct ImageRendererTests {
    private let studio = ImageRenderer(encoders: [JPEGEncoder(), PNGEncoder(), WebPEncoder(), GIFEncoder()])

    @Test("each kind of image in the feed is a file of its format, the same each time", arguments: 1...20)
    func files(id: Int) throws {
        let recipe = PhotoFeed.recipe(id).thumbnail(40)
        let image = try studio.make(recipe)
        let signatures: [ImageFormat: [UInt8]] = [
            .jpeg: [0xFF, 0xD8, 0xFF], .png: Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) }),
            .webp: Array("RIFF".utf8), .gif: Array("GIF89a".utf8),
        ]
        #expect(image.bytes.starts(with: try #require(signatures[recipe.format])))
        #expect(try studio.make(recipe) == image)
        #expect(image.contentType == "image/\(recipe.format)")
    }

    @Test("progressive and baseline JPEG, lossy and lossless WebP differ, and so do their tags")
    func options() throws {
        var plain = ImageRecipe(id: 3, format: .jpeg, width: 40, height: 30)
        var wished = plain
        wished.isProgressive = true
        #expect(try marker(0xC0, in: studio.make(plain)) && marker(0xC2, in: studio.make(wished)))
        #expect(try studio.make(plain).entityTag != studio.make(wished).entityTag)
        plain.format = .webp
        wished = plain
        wished.isLossless = true
        #expect(try studio.make(wished).bytes.count > studio.make(plain).bytes.count)
    }

    /// Whether a JPEG has a start-of-frame marker of this kind (ITU-T T.81, table B.1).
    private func marker(_ kind: UInt8, in image: RenderedImage) -> Bool {
        zip(image.bytes, image.bytes.dropFirst()).contains { $0 == 0xFF && $1 == kind }
    }
}
