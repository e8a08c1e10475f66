import ImageCore
import ImageProcessing
import Testing

@Suite("Processors that place and turn images")
struct PlacingProcessorTests {
    /// A bitmap of opaque grays.
    private func bitmap(_ rows: [[UInt8]]) -> Bitmap {
        Bitmap(
            size: PixelSize(width: rows[0].count, height: rows.count),
            pixels: rows.flatMap { row in row.flatMap { [$0, $0, $0, 255] } }, isOpaque: true)
    }

    private func grays(_ bitmap: Bitmap) -> [[UInt8]] {
        (0..<bitmap.size.height).map { y in
            (0..<bitmap.size.width).map { bitmap.pixels[(y * bitmap.size.width + $0) * 4] }
        }
    }

    @Test(
        "makes an image upright from each orientation of Exif",
        arguments: [
            (.up, [[1, 2, 3], [4, 5, 6]]), (.upMirrored, [[3, 2, 1], [6, 5, 4]]), (.down, [[6, 5, 4], [3, 2, 1]]),
            (.downMirrored, [[4, 5, 6], [1, 2, 3]]), (.leftMirrored, [[1, 4], [2, 5], [3, 6]]),
            (.right, [[4, 1], [5, 2], [6, 3]]), (.rightMirrored, [[6, 3], [5, 2], [4, 1]]),
            (.left, [[3, 6], [2, 5], [1, 4]]),
        ] as [(ImageOrientation, [[UInt8]])])
    func orientations(orientation: ImageOrientation, expected: [[UInt8]]) throws {
        let result = try OrientationProcessor(orientation).process(bitmap([[1, 2, 3], [4, 5, 6]]))
        #expect(grays(result) == expected)
    }

    @Test("places an image on a transparent canvas, without what is outside of it")
    func canvas() throws {
        func canvas(_ x: Int, _ y: Int) throws -> Bitmap {
            try CanvasProcessor(x: x, y: y, size: PixelSize(width: 3, height: 4)).process(bitmap([[7], [8]]))
        }
        let result = try canvas(1, 2)
        #expect(grays(result) == [[0, 0, 0], [0, 0, 0], [0, 7, 0], [0, 8, 0]])
        #expect(!result.isOpaque && result.pixels[3] == 0)
        #expect(grays(try canvas(2, -1)) == [[0, 0, 8], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
        for (x, y) in [
            (3, 0), (4, 2), (0, 4), (-1, 0), (-2, 0), (0, -2), (0, 5), (.max, .min), (.max, 2), (.min, 0), (0, .max),
        ] { #expect(try !canvas(x, y).pixels.contains(255)) }
    }

    @Test("a canvas above the limits is refused before memory is allocated")
    func canvasLimits() {
        func failure(_ side: Int, _ limits: DecodingLimits) -> ImageDecodingError? {
            #expect(throws: ImageDecodingError.self) {
                let size = PixelSize(width: side, height: side)
                _ = try CanvasProcessor(x: 0, y: 0, size: size, limits: limits).process(bitmap([[7]]))
            }
        }
        #expect(failure(60_000, .default) == .limitExceeded(.pixels, value: 3_600_000_000, allowed: 500_000_000))
        let limits = DecodingLimits(decodedByteLimit: 15)
        #expect(failure(2, limits) == .limitExceeded(.decodedBytes, value: 16, allowed: 15))
    }

    @Test("composites over a color, rounded to nearest")
    func background() {
        let image = Bitmap(
            size: PixelSize(width: 3, height: 1), pixels: [200, 0, 0, 0, 200, 0, 0, 128, 200, 0, 0, 255],
            isOpaque: false)
        let result = BackgroundProcessor(PixelColor(red: 0, green: 100, blue: 255)).process(image)
        #expect(result.pixels == [0, 100, 255, 255, 100, 50, 127, 255, 200, 0, 0, 255])
        #expect(result.isOpaque)
    }

    @Test("replaces squares by their averages, in which transparent pixels have no color")
    func pixelate() throws {
        let result = try PixelateProcessor(side: 2).process(bitmap([[1, 5, 9], [3, 7, 7], [1, 2, 3]]))
        #expect(grays(result) == [[4, 4, 8], [4, 4, 8], [2, 2, 3]])
        let clear = Bitmap(size: PixelSize(width: 2, height: 1), pixels: [9, 9, 9, 0, 200, 0, 4, 255], isOpaque: false)
        #expect(try PixelateProcessor(side: 2).process(clear).pixels == [200, 0, 4, 128, 200, 0, 4, 128])
    }

    @Test("sharpening makes edges lighter and darker up to a limit each, and leaves flat areas as they are")
    func sharpened() throws {
        let edge: [UInt8] = Array(repeating: 100, count: 8) + Array(repeating: 200, count: 8)
        let row = try grays(SharpenProcessor(sigma: 1).process(bitmap([edge])))[0]
        #expect(row.first == 100 && row.min() == 49 && (225...226).contains(row.max() ?? 0))
        let flat = bitmap([edge.map { $0 == 100 ? 100 : 104 }])
        #expect(try SharpenProcessor(sigma: 1).process(flat) == flat)
    }

    @Test("sharpening and squares of nothing leave an image as it is")
    func nothing() throws {
        let image = bitmap([[5, 200], [90, 1]])
        #expect(try SharpenProcessor(sigma: .nan).process(image) == image)
        #expect(try PixelateProcessor(side: -3).process(image) == image)
        #expect(try Set(grays(PixelateProcessor(side: .max).process(image)).joined()).count == 1)
    }

    @Test(
        "cuts off a border, and as much at both edges if asked for",
        arguments: [([], "2x1"), (.horizontal, "3x1"), (.vertical, "2x2"), ([.horizontal, .vertical], "3x2")]
            as [(TrimProcessor.Edges, String)])
    func trim(edges: TrimProcessor.Edges, size: String) throws {
        let image = bitmap([[9, 9, 9, 9, 9], [9, 9, 9, 9, 9], [9, 70, 80, 9, 9], [9, 9, 9, 9, 9]])
        #expect("\(try TrimProcessor(equalEdges: edges).process(image).size)" == size)
        #expect(try TrimProcessor(threshold: 61).process(image).size == PixelSize(width: 1, height: 1))
        #expect(try TrimProcessor(color: .white).process(image).size == image.size)
        #expect(try TrimProcessor(threshold: 255).process(image) == image)
        for pixels in [[0, 0, 0, 0, 0, 0, 0, 255], [9, 9, 9, 255, 9, 9, 70, 255]] as [[UInt8]] {
            let two = Bitmap(size: PixelSize(width: 2, height: 1), pixels: pixels)
            #expect(try TrimProcessor().process(two).size.width == 1)
        }
        let size = PixelSize(width: 2, height: 1)
        let marked = Bitmap(size: size, pixels: [0, 0, 0, 0, 0, 0, 0, 255], isOpaque: true)
        #expect(try TrimProcessor().process(marked) == marked)
    }

    @Test(
        "draws a watermark once or as tiles, also partly outside, and keeps transparency",
        arguments: [
            (.at(x: 1, y: 0), [[0, 200, 200], [0, 0, 0]]), (.at(x: -1, y: 1), [[0, 0, 0], [200, 0, 0]]),
            (.at(x: 3, y: .max), [[0, 0, 0], [0, 0, 0]]), (.at(x: 0, y: -1), [[0, 0, 0], [0, 0, 0]]),
            (.at(x: .min, y: .min), [[0, 0, 0], [0, 0, 0]]),
            (.tiles(horizontalSpacing: 1, verticalSpacing: -4), [[200, 200, 0], [200, 200, 0]]),
            (.tiles(horizontalSpacing: 9, verticalSpacing: 2), [[0, 0, 0], [200, 200, 0]]),
        ] as [(WatermarkProcessor.Placement, [[UInt8]])])
    func watermark(placement: WatermarkProcessor.Placement, expected: [[UInt8]]) throws {
        let mark = bitmap([[200, 200]])
        let ground = bitmap([[0, 0, 0], [0, 0, 0]])
        func drawn(_ opacity: Double) throws -> Bitmap {
            try WatermarkProcessor(mark, identifier: "mark", placement: placement, opacity: opacity).process(ground)
        }
        #expect(try grays(drawn(1)) == expected && grays(drawn(9)) == expected)
        #expect(grays(try drawn(0.5)) == expected.map { $0.map { $0 / 2 } })
        #expect(grays(try drawn(.nan)) == grays(ground))
        let pixels: [UInt8] = [200, 200, 200, 0, 200, 200, 200, 9]
        let marked = Bitmap(size: mark.size, pixels: pixels, isOpaque: true)
        let processor = WatermarkProcessor(marked, identifier: "marked as opaque", placement: placement)
        #expect(try grays(processor.process(ground)) == expected)
    }
}
