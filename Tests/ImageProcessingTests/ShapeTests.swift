import ImageCore
import ImageProcessing
import Testing

@Suite("Rounded corners, circles and borders")
struct ShapeTests {
    struct Case: CustomStringConvertible {
        var size: PixelSize
        /// Top left, top right, bottom right, bottom left.
        var radii: [Double]
        var border: Double = 0

        init(_ width: Int, _ height: Int, _ radii: [Double], border: Double = 0) {
            size = PixelSize(width: width, height: height)
            self.radii = radii
            self.border = border
        }

        var description: String { "\(size), radii \(radii), border \(border)" }

        var processor: RoundedCornersProcessor {
            RoundedCornersProcessor(
                radii: CornerRadii(topLeft: radii[0], topRight: radii[1], bottomLeft: radii[3], bottomRight: radii[2]),
                border: ImageBorder(color: ShapeTests.borderColor, width: border))
        }
    }

    static let borderColor = PixelColor(red: 0, green: 0, blue: 255)

    static let cases = [
        Case(20, 14, [4, 4, 4, 4]), Case(20, 14, [0, 3.5, 7, 1.25]), Case(20, 14, [6, 6, 6, 6], border: 2),
        Case(20, 14, [6.5, 2, 0, 6.5], border: 2.75), Case(9, 31, [100, 100, 100, 100]),
        Case(9, 31, [100, 100, 100, 100], border: 1.5), Case(16, 16, [8, 8, 8, 8], border: 0.5),
        Case(16, 16, [0, 0, 0, 0], border: 0.5), Case(16, 10, [3, 3, 3, 3], border: 50), Case(1, 1, [5, 5, 5, 5]),
        Case(1, 1, [0, 0, 0, 0], border: 0.25), Case(2, 1, [0.5, 0, 0, 0]), Case(12, 8, [0, 12, 0, 0], border: 3),
        Case(3, 40, [1, 0, 0, 1], border: 1),
    ]

    @Test("each pixel blends the image and the border by the area that they cover", arguments: cases)
    func parts(_ shape: Case) {
        let image = TestImage.plain(shape.size, [255, 0, 0, 255])
        let result = shape.processor.process(image)
        for y in 0..<shape.size.height {
            for x in 0..<shape.size.width {
                let (outside, inside) = Self.parts(shape, x, y)
                let pixel = Array(result.pixels[(y * shape.size.width + x) * 4..<(y * shape.size.width + x) * 4 + 4])
                #expect(abs(Double(pixel[3]) / 255 - outside) < 0.025, "alpha \(pixel[3]) at \(x), \(y): \(outside)")
                let blue = Double(pixel[2]) * Double(pixel[3]) / 65_025
                #expect(abs(blue - (outside - inside)) < 0.025, "border \(blue) at \(x), \(y): \(outside - inside)")
            }
        }
        #expect(result.isOpaque == result.pixels.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 255 })
    }

    @Test("pixels completely inside stay unchanged, whatever their alpha")
    func middle() {
        let size = PixelSize(width: 30, height: 20)
        let image = TestImage.noise(size, isOpaque: false)
        let result = RoundedCornersProcessor(radius: 5, border: ImageBorder(color: .black, width: 2)).process(image)
        for y in 5..<15 {
            for x in 2..<28 {
                let index = (y * 30 + x) * 4
                #expect(result.pixels[index..<index + 4] == image.pixels[index..<index + 4])
            }
        }
        #expect(RoundedCornersProcessor(radius: 0).process(image) == image)
    }

    @Test("a translucent border is composited over the image, and a translucent image stays translucent")
    func translucent() {
        let size = PixelSize(width: 6, height: 6)
        let half = ImageBorder(color: PixelColor(red: 0, green: 0, blue: 255, alpha: 51), width: 1)
        let over = RoundedCornersProcessor(radius: 0, border: half).process(TestImage.plain(size, [255, 0, 0, 255]))
        #expect(over.pixels.prefix(4) == [204, 0, 51, 255] && over.isOpaque)
        let thin = RoundedCornersProcessor(radius: 2).process(TestImage.plain(size, [10, 20, 30, 100]))
        #expect(thin.pixels[(2 * 6 + 2) * 4 + 3] == 100 && thin.pixels[3] < 50 && !thin.isOpaque)
        let onNothing = RoundedCornersProcessor(radius: 0, border: half).process(TestImage.plain(size, [255, 0, 0, 0]))
        #expect(onNothing.pixels.prefix(4) == [0, 0, 255, 51])
    }

    @Test("a pixel at the edge keeps its color, and one outside becomes zeros")
    func colors() throws {
        let image = TestImage.plain(PixelSize(width: 9, height: 9), [200, 100, 50, 255])
        let result = try CircleProcessor().process(image)
        for index in stride(from: 0, to: result.pixels.count, by: 4) {
            let pixel = Array(result.pixels[index..<index + 4])
            #expect(pixel == [0, 0, 0, 0] || TestImage.largestError(Array(pixel.prefix(3)), [200, 100, 50]) <= 1)
        }
        #expect(Array(result.pixels.prefix(4)) == [0, 0, 0, 0])
    }

    @Test(
        "a circle is centered and as large as possible",
        arguments: [
            ((9, 9), (0, 0), 9), ((40, 9), (15, 0), 9), ((9, 40), (0, 15), 9), ((10, 7), (1, 0), 7),
            ((1, 5), (0, 2), 1),
        ])
    func circle(_ size: (Int, Int), _ origin: (Int, Int), _ side: Int) throws {
        let pixels = (0..<size.0 * size.1).flatMap { [UInt8($0 % size.0), UInt8($0 / size.0), 7, 255] as [UInt8] }
        let image = Bitmap(size: PixelSize(width: size.0, height: size.1), pixels: pixels, isOpaque: true)
        let result = try CircleProcessor().process(image)
        #expect(result.size == PixelSize(width: side, height: side))
        let middle = (side / 2 * side + side / 2) * 4
        let expected = [UInt8(origin.0 + side / 2), UInt8(origin.1 + side / 2)]
        #expect(result.pixels[middle..<middle + 2] == expected[...])
        let area = stride(from: 3, to: result.pixels.count, by: 4).reduce(0) { $0 + Double(result.pixels[$1]) / 255 }
        #expect(abs(area - Double(side * side) * .pi / 4) < 0.02 * Double(side))
    }

    @Test("identifiers contain all parameters in full precision")
    func identifiers() {
        let thin = ImageBorder(color: .white, width: 0.1)
        let names = [
            RoundedCornersProcessor(radius: 8).identifier,
            RoundedCornersProcessor(radius: 8.000000001).identifier,
            RoundedCornersProcessor(radii: CornerRadii(topRight: 8)).identifier,
            RoundedCornersProcessor(radius: 8, border: thin).identifier,
            RoundedCornersProcessor(radius: 8, border: ImageBorder(color: .white, width: 0.3 - 0.2)).identifier,
        ]
        #expect(Set(names).count == names.count)
        #expect(names[0] == "roundedCorners(8.0)")
        #expect(names[2] == "roundedCorners(0.0 8.0 0.0 0.0)")
        #expect(names[3] == "roundedCorners(8.0,#ffffffff 0.1)")
    }

    @Test("NaN and negative sizes count as 0")
    func nonsense() {
        #expect(CornerRadii(.nan) == CornerRadii(0) && CornerRadii(-3) == CornerRadii(0))
        #expect(ImageBorder(color: .white, width: .nan) == ImageBorder(color: .white, width: 0))
        let image = TestImage.noise(PixelSize(width: 4, height: 3), isOpaque: true)
        let huge = ImageBorder(color: .white, width: .infinity)
        #expect(
            RoundedCornersProcessor(radius: 0, border: huge).process(image)
                == TestImage.plain(image.size, [255, 255, 255, 255]))
        #expect(
            RoundedCornersProcessor(radius: .infinity).process(image)
                == RoundedCornersProcessor(radius: 1.5).process(image))
    }

    /// Returns the fractions of a pixel inside the shape and inside the inner edge of its border, from 32 x 32 points.
    private static func parts(_ shape: Case, _ x: Int, _ y: Int) -> (outside: Double, inside: Double) {
        let radii = fitting(shape)
        var counts = (0, 0)
        for point in 0..<1_024 {
            let (right, down) = (Double(point % 32) + 0.5, Double(point / 32) + 0.5)
            let distance = depth(shape.size, radii, Double(x) + right / 32, Double(y) + down / 32)
            if distance > 0 { counts.0 += 1 }
            if distance > shape.border { counts.1 += 1 }
        }
        return (Double(counts.0) / 1_024, Double(counts.1) / 1_024)
    }

    private static func fitting(_ shape: Case) -> SIMD4<Double> {
        let (width, height) = (Double(shape.size.width), Double(shape.size.height))
        let sides = [width, height, width, height]
        let factor = (0..<4).map { sides[$0] / (shape.radii[$0] + shape.radii[($0 + 1) % 4]) }.reduce(1, min)
        return SIMD4(shape.radii) * factor
    }

    /// Returns the distance from a point inside the shape to its edge. Negative outside.
    private static func depth(_ size: PixelSize, _ radii: SIMD4<Double>, _ x: Double, _ y: Double) -> Double {
        let (fromRight, fromBottom) = (Double(size.width) - x, Double(size.height) - y)
        let across = SIMD4(x, fromRight, fromRight, x)
        let down = SIMD4(y, y, fromBottom, fromBottom)
        var depth = min(across.min(), down.min())
        for corner in 0..<4 where across[corner] < radii[corner] && down[corner] < radii[corner] {
            let (side, height) = (radii[corner] - across[corner], radii[corner] - down[corner])
            depth = min(depth, radii[corner] - (side * side + height * height).squareRoot())
        }
        return depth
    }
}
