import ImageCore
import ImageProcessing
import Testing

@testable import ImageServerKit

@Suite struct ProcessorTests {
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
        let result = try OrientationProcessor(orientation: orientation).process(bitmap([[1, 2, 3], [4, 5, 6]]))
        #expect(grays(result) == expected)
    }

    @Test("places an image on a transparent canvas")
    func canvas() {
        let area = RenderingPlan.Area(x: 1, y: 2, size: PixelSize(width: 3, height: 4))
        let result = CanvasProcessor(canvas: area).process(bitmap([[7], [8]]))
        #expect(grays(result) == [[0, 0, 0], [0, 0, 0], [0, 7, 0], [0, 8, 0]])
        #expect(!result.isOpaque)
        #expect(result.pixels[3] == 0)
    }

    @Test("composites over a color, rounded to nearest")
    func background() {
        let image = Bitmap(
            size: PixelSize(width: 3, height: 1), pixels: [200, 0, 0, 0, 200, 0, 0, 128, 200, 0, 0, 255],
            isOpaque: false)
        let result = BackgroundProcessor(color: PixelColor(red: 0, green: 100, blue: 255)).process(image)
        #expect(result.pixels == [0, 100, 255, 255, 100, 50, 127, 255, 200, 0, 0, 255])
        #expect(result.isOpaque)
    }

    @Test("replaces squares by one color each")
    func pixelate() throws {
        let result = try PixelateProcessor(side: 2).process(bitmap([[5, 5, 9], [5, 5, 9], [1, 1, 3]]))
        let rows = grays(result)
        #expect(rows[0] == rows[1])
        #expect(rows[0][0] == rows[0][1])
        #expect(result.size == PixelSize(width: 3, height: 3))
    }
}
