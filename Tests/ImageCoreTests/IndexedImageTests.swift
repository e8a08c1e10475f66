import ImageCore
import Testing

@Suite("Images with palettes")
struct IndexedImageTests {
    private func bitmap(_ colors: [[UInt8]], width: Int) -> Bitmap {
        Bitmap(size: PixelSize(width: width, height: colors.count / width), pixels: Array(colors.joined()))
    }

    @Test("few colors are kept in order of appearance, and transparency is the last")
    func exact() throws {
        let image = bitmap([[9, 9, 9, 255], [1, 2, 3, 255], [5, 5, 5, 127], [1, 2, 3, 255]], width: 2)
        let (gray, blue) = (RGBAColor(9, 9, 9, 255), RGBAColor(1, 2, 3, 255))
        let indexed = try IndexedImage(image, area: PixelArea(size: image.size), colorCount: 3)
        #expect(indexed.palette == [gray, blue, RGBAColor()] && indexed.transparentIndex == 2)
        #expect(indexed.indices == [0, 1, 2, 1])
        let part = try IndexedImage(image, area: PixelArea(left: 1, top: 1, width: 1, height: 1))
        #expect(part.palette == [blue] && part.indices == [0])
        let alpha = try IndexedImage(image, area: PixelArea(size: image.size), keepsAlpha: true)
        #expect(alpha.palette == [gray, blue, RGBAColor(5, 5, 5, 127)] && alpha.transparentIndex == nil)
    }

    @Test("alpha of an image that is marked as opaque is ignored", arguments: [true, false])
    func hiddenAlpha(keepsAlpha: Bool) throws {
        let size = PixelSize(width: 2, height: 1)
        let image = Bitmap(size: size, pixels: [10, 20, 30, 128, 1, 2, 3, 0], isOpaque: true)
        let indexed = try IndexedImage(image, area: PixelArea(size: size), keepsAlpha: keepsAlpha)
        #expect(indexed.palette == [RGBAColor(10, 20, 30, 255), RGBAColor(1, 2, 3, 255)])
        #expect(indexed.indices == [0, 1] && indexed.transparentIndex == nil)
    }

    @Test("more colors are reduced to the means of groups, of which one is left for transparency")
    func reduced() throws {
        let colors = [0, 16, 232, 248].map { [$0, $0, $0, 255] as [UInt8] } + [[0, 0, 0, 0]]
        let image = bitmap(colors, width: 5)
        let indexed = try IndexedImage(image, area: PixelArea(size: image.size), colorCount: 3, dithering: 0)
        #expect(indexed.palette == [RGBAColor(8, 8, 8, 255), RGBAColor(240, 240, 240, 255), RGBAColor()])
        #expect(indexed.indices == [0, 0, 1, 1, 2])
    }

    @Test("reduced colors are the means of the pixels that are nearest to them, which need not be half of all")
    func nearestMeans() throws {
        let image = bitmap([0, 16, 32, 240].map { [$0, $0, $0, 255] }, width: 4)
        let indexed = try IndexedImage(image, area: PixelArea(size: image.size), colorCount: 2, dithering: 0)
        #expect(indexed.palette == [RGBAColor(16, 16, 16, 255), RGBAColor(240, 240, 240, 255)])
    }

    @Test("dithering keeps the brightness of each area")
    func dithering() throws {
        let row = (0..<64).map { [UInt8](repeating: 4 * $0, count: 3) + [255] }
        let image = bitmap((0..<64).flatMap { _ in row }, width: 64)
        let indexed = try IndexedImage(image, area: PixelArea(size: image.size), colorCount: 3)
        for x in stride(from: 8, to: 56, by: 8) {
            var (sum, expected) = (0, 0)
            for y in 0..<64 {
                for column in x..<x + 8 {
                    sum += Int(indexed.palette[Int(indexed.indices[64 * y + column])].x)
                    expected += 4 * column
                }
            }
            #expect(abs(sum - expected) < 8 * 512)
        }
    }

    @Test("a cancelled task ends with an error")
    func cancelled() async {
        let image = bitmap([[0, 0, 0, 255]], width: 1)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try IndexedImage(image, area: PixelArea(size: image.size))
        }
        await #expect(throws: ImageEncodingError.cancelled) { try await task.value }
    }
}
