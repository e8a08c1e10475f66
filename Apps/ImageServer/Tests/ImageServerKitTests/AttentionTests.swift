import Foundation
import ImageCodecPNG
import ImageCore
import ImageDecoding
import Testing

@testable import ImageServerKit

@Suite struct AttentionTests {
    /// Returns a gray image with a red figure in a corner.
    private func image(_ size: PixelSize, figure: RenderingPlan.Area) -> Bitmap {
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let (column, row) = (index % size.width - figure.x, index / size.width - figure.y)
            let isInside = (0..<figure.size.width).contains(column) && (0..<figure.size.height).contains(row)
            return isInside ? [220, 30, 40, 255] : [128, 128, 128, 255]
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    @Test(
        "finds the figure in every place where a gravity can stand",
        arguments: [
            "rs:fill:60:60/g:sm", "c:120:120:sm/w:60", "c:120:120/g:sm", "c:120:120:sm/rot:90",
            "rs:fill-down:60:60/g:sm",
            "c:0.4:0.4:sm", "rs:auto:200:100/g:sm", "rs:fill:60:60:1/g:sm/dpr:2", "rs:fill:30:30/g:no/g:sm",
        ])
    func options(text: String) throws {
        let size = PixelSize(width: 320, height: 240)
        let region = RenderingPlan.Area(x: 270, y: 180, size: PixelSize(width: 30, height: 36))
        let bitmap = image(size, figure: region)
        let source = try PNGEncoder().encode(bitmap, options: EncodingOptions())
        let shown = try SampleImages.decoder().decode(renderImage(source, "\(text)/f:png").data).bitmap
        let pixels = shown.pixels
        let red = stride(from: 0, to: pixels.count, by: 4).filter { pixels[$0] > 180 && pixels[$0 + 1] < 90 }.count
        #expect(red > 4)
        #expect(shown.size.area < 320 * 240)
    }

    @Test("cuts all frames of an animation like the first one")
    func animations() throws {
        let crop = SharedAttentionCrop(size: PixelSize(width: 100, height: 100), found: SharedAttentionCrop.Found())
        let frames = [(20, 20), (250, 180)].map { x, y in
            image(
                PixelSize(width: 320, height: 240),
                figure: RenderingPlan.Area(x: x, y: y, size: PixelSize(width: 30, height: 36)))
        }
        #expect(try crop.process(frames[0]).pixels.contains { $0 == 220 })
        #expect(try !crop.process(frames[1]).pixels.contains { $0 == 220 })
    }
}
