import Foundation
import ImageCodecPNG
import ImageCore
import ImageDecoding
import ImageProcessing
import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct AttentionTests {
    enum Ground: CaseIterable { case gray, dark, textured, gradient }

    /// The colors of planted figures: skin, red, green, blue and yellow.
    static let colors: [[UInt8]] = [[224, 172, 140], [220, 30, 40], [30, 170, 60], [40, 70, 220], [240, 200, 30]]

    private static func shade(_ ground: Ground, _ x: Int, _ y: Int) -> UInt8 {
        switch ground {
        case .gray: 128
        case .dark: 24
        case .textured: UInt8(100 + (x * 7919 + y * 104_729 + x * y * 31) % 56)
        case .gradient: UInt8(60 + (x + y) / 4)
        }
    }

    /// Returns an image with a figure: an ellipse of a color, with a stripe of contrast.
    private func image(_ size: PixelSize, _ ground: Ground, figure: RenderingPlan.Area, color: [UInt8]) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let (dx, dy) = (
                    Double(2 * (x - figure.x) + 1 - figure.size.width) / Double(figure.size.width),
                    Double(2 * (y - figure.y) + 1 - figure.size.height) / Double(figure.size.height)
                )
                if dx * dx + dy * dy <= 1 {
                    pixels += abs(dy) < 0.2 ? [250, 250, 250, 255] : color + [255]
                } else {
                    pixels += Array(repeating: Self.shade(ground, x, y), count: 3) + [255]
                }
            }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    @Test("never cuts a small figure, wherever it is", arguments: Ground.allCases)
    func plantedFigures(ground: Ground) throws {
        let size = PixelSize(width: 160, height: 120)
        let figure = PixelSize(width: 15, height: 18)
        let crops = [(120, 120), (60, 60), (160, 40), (40, 120), (160, 30)].map { PixelSize(width: $0, height: $1) }
        for (number, color) in Self.colors.enumerated() {
            for place in 0..<6 {
                let x = (place * 83 + number * 31) % (size.width - figure.width + 1)
                let y = (place * 59 + number * 17) % (size.height - figure.height + 1)
                let region = RenderingPlan.Area(x: x, y: y, size: figure)
                let map = try AttentionMap(image(size, ground, figure: region, color: color))
                for crop in crops {
                    let origin = map.origin(of: crop, in: size)
                    #expect(
                        origin.x <= x && origin.y <= y && origin.x + crop.width >= x + figure.width
                            && origin.y + crop.height >= y + figure.height,
                        "\(crop) at \(origin), figure \(number) at \(x), \(y)")
                }
            }
        }
    }

    @Test("crops stay inside of the image, of whatever size")
    func bounds() throws {
        for (width, height) in [(1, 1), (1, 500), (500, 1), (33, 31), (7, 200)] {
            let map = try AttentionMap(SampleImages.bitmap(width, height))
            let size = PixelSize(width: width, height: height)
            #expect(map.origin(of: size, in: size) == (0, 0))
            let half = PixelSize(width: (width + 1) / 2, height: (height + 1) / 2)
            let origin = map.origin(of: half, in: size)
            #expect(
                origin.x >= 0 && origin.y >= 0 && origin.x + half.width <= width && origin.y + half.height <= height)
        }
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
        let bitmap = image(size, .gray, figure: region, color: Self.colors[1])
        let source = try PNGEncoder().encode(bitmap, options: EncodingOptions())
        let url = try ImageURLParser(signature: nil).parse("/_/\(text)/f:png/plain/http://a/b", now: .distantPast)
        let renderer = ImageRenderer(decoder: SampleImages.decoder(), limits: RenderingLimits(), clock: ManualClock())
        let result = try renderer.render(source, url.options, accepted: AcceptedFormats(accept: nil))
        let shown = try SampleImages.decoder().decode(result.data).bitmap
        let pixels = shown.pixels
        let red = stride(from: 0, to: pixels.count, by: 4).filter { pixels[$0] > 180 && pixels[$0 + 1] < 90 }.count
        let scale = try RenderingPlan(renderer.header(of: source), url.options).scaled.width
        #expect(red > 4 && scale > 0)
        #expect(shown.size.area < 320 * 240)
    }

    @Test("cuts all frames of an animation like the first one")
    func animations() throws {
        let origin = AttentionCropProcessor.Origin()
        let size = PixelSize(width: 320, height: 240)
        let crop = AttentionCropProcessor(size: PixelSize(width: 100, height: 100), origin: origin)
        let figure = PixelSize(width: 30, height: 36)
        let first = image(size, .gray, figure: RenderingPlan.Area(x: 20, y: 20, size: figure), color: Self.colors[1])
        let second = image(size, .gray, figure: RenderingPlan.Area(x: 250, y: 180, size: figure), color: Self.colors[1])
        let cut = try crop.process(first)
        #expect(cut.pixels.contains { $0 == 220 })
        #expect(try !crop.process(second).pixels.contains { $0 == 220 })
    }
}
