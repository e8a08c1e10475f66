import ImageCore
import Testing

@testable import ImageProcessing

@Suite("Cropping to what attracts attention")
struct AttentionCropTests {
    /// The area of a planted figure.
    private struct Figure {
        let x, y: Int
        let size: PixelSize
    }

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
    private func image(_ size: PixelSize, _ ground: Ground, figure: Figure, color: [UInt8]) -> Bitmap {
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
                let region = Figure(x: x, y: y, size: figure)
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

    @Test("a color that is nearly black attracts nothing")
    func nearlyBlack() throws {
        let size = PixelSize(width: 128, height: 128)
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let isRed = (8..<48).contains(x) && (8..<88).contains(y)
                let isGray = (100..<104).contains(x) && (100..<104).contains(y)
                pixels += isRed ? [40, 0, 0, 255] : isGray ? [60, 60, 60, 255] : [0, 0, 0, 255]
            }
        }
        let map = try AttentionMap(Bitmap(size: size, pixels: pixels, isOpaque: true))
        let origin = map.origin(of: PixelSize(width: 32, height: 32), in: size)
        #expect((72...100).contains(origin.x))
        #expect((72...100).contains(origin.y))
    }

    @Test("alpha of an image that is marked as opaque doesn't matter, even if it isn't scaled")
    func hiddenAlpha() throws {
        let size = PixelSize(width: 32, height: 32)
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            [(14..<18).contains(index % 32) && (14..<18).contains(index / 32) ? 220 : 20, 20, 20, 0]
        }
        let map = try AttentionMap(Bitmap(size: size, pixels: pixels, isOpaque: true))
        let origin = map.origin(of: PixelSize(width: 8, height: 8), in: size)
        #expect((8...16).contains(origin.x) && (8...16).contains(origin.y))
    }

    @Test("crops stay inside of the image, of whatever size")
    func bounds() throws {
        for (width, height) in [(1, 1), (1, 500), (500, 1), (33, 31), (7, 200)] {
            let map = try AttentionMap(Self.noise(PixelSize(width: width, height: height)))
            let size = PixelSize(width: width, height: height)
            #expect(map.origin(of: size, in: size) == (0, 0))
            let half = PixelSize(width: (width + 1) / 2, height: (height + 1) / 2)
            let origin = map.origin(of: half, in: size)
            #expect(
                origin.x >= 0 && origin.y >= 0 && origin.x + half.width <= width && origin.y + half.height <= height)
        }
    }

    private static func noise(_ size: PixelSize) -> Bitmap {
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let (red, green) = (index * 37 & 255, index * 11 & 255)
            return [UInt8(red), UInt8(green), 90, 255]
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    @Test("a part larger than the image is the image, and one without pixels is an error")
    func sizes() throws {
        let image = Self.noise(PixelSize(width: 7, height: 5))
        #expect(try AttentionCropProcessor(size: PixelSize(width: 9, height: .max)).process(image) == image)
        #expect(throws: CropError.outside(image.size)) {
            try AttentionCropProcessor(size: PixelSize(width: 0, height: 5)).process(image)
        }
    }

    @Test("other frames of an animation can be cut like the first one")
    func animations() throws {
        let figure = PixelSize(width: 30, height: 36)
        let frames = [(20, 20), (250, 180)].map { x, y in
            image(
                PixelSize(width: 320, height: 240), .gray, figure: Figure(x: x, y: y, size: figure),
                color: Self.colors[1])
        }
        let crop = try AttentionCropProcessor(size: PixelSize(width: 100, height: 100)).crop(for: frames[0])
        #expect(try crop.process(frames[0]).pixels.contains { $0 == 220 })
        #expect(try !crop.process(frames[1]).pixels.contains { $0 == 220 })
    }
}
