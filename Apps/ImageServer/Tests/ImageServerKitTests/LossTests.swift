import Foundation
import GeneratedImages
import ImageCodecJPEG
import ImageCore
import ImageDecoding
import ImageMetadata
import ImageProcessing
import ImageTesting
import Testing

@testable import ImageServerKit

/// Image and map of the generated files show the same, so a map that is treated like its image looks like it.
@Suite("What results lose") struct LossTests {
    private static let decoder = DownsamplingDecoder(decoders: [JPEGDecoder()])

    private func render(_ source: Data, _ text: String) throws -> RenderedImage {
        try renderImage(source, text, watermark: Watermark(file: SampleImages.png(), opacity: 1))
    }

    @Test(
        "preserve_hdr cuts, resizes and turns a gain map like its image",
        arguments: [
            "w:100", "w:500/el:1", "q:50", "rs:fill:90:90", "c:101:77:nowe/w:60", "c:0.5:0.3:soea", "rot:90/w:100",
            "fl:1:0/w:100", "rs:fill:60:90/g:soea/rot:270/fl:0:1", "ar:0/rs:fill:99:50/g:no", "rs:force:80:100", "w:1",
        ])
    func gainMap(options: String) throws {
        for orientation in [1, 3, 6, 7] as [UInt8] {
            var photo = GainMapJPEG(["ultraHDR", "iso21496"])
            photo.exif =
                Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0])
                + Data(count: 4)
            let image = try render(photo.data, "ph:1/\(options)")
            #expect(image.losses == [.exif])
            let map = try #require(EmbeddedGainMap(of: image.data))
            let pixels = try Self.decoder.decode(map.file).bitmap
            let base = try Self.decoder.decode(image.data).bitmap
            #expect(abs(base.size.width - 4 * pixels.size.width) < 5)
            let small = try ResizeProcessor(stretchingTo: pixels.size).process(base)
            let difference = zip(small.pixels, pixels.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
            #expect(difference <= 6, "\(orientation)")
        }
    }

    @Test(
        "a gain map is a loss without preserve_hdr, in other formats, and where the result shows anything else",
        arguments: [
            "w:10", "ph:0", "ph:1/f:png", "ph:1/bl:1", "ph:1/pix:3", "ph:1/sh:1", "ph:1/pd:5", "ph:1/t:130",
            "ph:1/wm:1",
            "ph:1/rs:fill:30:40/g:sm", "ph:1/mb:3000",
        ])
    func leftOut(options: String) throws {
        let image = try render(GainMapJPEG(["ultraHDR"]).data, options)
        #expect(image.losses == [.gainMap] && EmbeddedGainMap(of: image.data) == nil)
    }

    @Test("alpha is a loss only if there are transparent pixels, and frames if there are several")
    func alphaAndFrames() throws {
        #expect(try render(SampleImages.png(), "f:jpg").losses == [.alpha])
        #expect(try render(SampleImages.png(), "f:webp").losses == [])
        #expect(try render(SampleImages.png(alpha: 255), "f:jpg").losses == [])
        #expect(try render(SampleImages.gif(frames: 3), "f:jpg").losses == [.animation])
        #expect(try render(SampleImages.gif(frames: 3), "f:webp").losses == [])
    }

    @Test("responses list losses, also from memory, and info what there is to lose")
    func fields() async throws {
        let fixture = ServiceFixture()
        var photo = GainMapJPEG(["apple"])
        photo.profile = ColorSpace.displayP3.profile
        fixture.script(.data(try photo.data))
        let handler = fixture.makeHandler()
        for _ in 0..<2 {
            #expect(await handler.answer(ServiceFixture.path("w:9"))["Image-Losses"] == "gainMap, gamut")
        }
        #expect(await handler.answer(ServiceFixture.path("w:9/ph:1"))["Image-Losses"] == "gamut")
        #expect(await handler.answer(ServiceFixture.path("w:9/ph:1/scp:0"))["Image-Losses"] == nil)
        let response = await handler.answer("/info" + ServiceFixture.path("w:1"))
        #expect(try JSONDecoder().decode(ImageInfo.self, from: response.body).contents == ["gainMap", "gamut"])
    }
}
