import Foundation
import ImageCore
import Testing

@testable import ImageTesting

@Suite("Decoded images")
struct DecodedImageTests {
    private static let size = PixelSize(width: 1, height: 1)

    private static func image(_ value: UInt8 = 0) -> DecodedImage {
        let bitmap = Bitmap(size: size, pixels: [value, value, value, 255], isOpaque: true)
        return DecodedImage(bitmap: bitmap, header: ImageHeader(format: .png, storedSize: size))
    }

    @Test("changing a copy affects neither the image nor the other properties of the copy")
    func copiesAreIndependent() {
        let image = Self.image()
        var copy = image
        copy.header.loopCount = 7
        #expect((copy.header.loopCount, copy.header.format, copy.completeness) == (7, .png, .complete))
        copy.completeness = .truncated
        #expect((copy.header.loopCount, copy.completeness) == (7, .truncated))
        copy.header.loopCount = 8
        #expect((copy.header.loopCount, copy.completeness) == (8, .truncated))
        copy.bitmap = Self.image(9).bitmap
        #expect(copy.bitmap.pixels == [9, 9, 9, 255])
        #expect(image == Self.image())
    }

    @Test("a bitmap is opaque if all of its alpha values are 255, and an image of it has its size and alpha")
    func fromPixels() {
        let pixels: [UInt8] = [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255]
        let size = PixelSize(width: 3, height: 1)
        for alpha in [3, 7, 11] {
            var clear = pixels
            clear[alpha] = 254
            let bitmap = Bitmap(size: size, pixels: clear)
            #expect(!bitmap.isOpaque && DecodedImage(bitmap).header.hasAlpha)
        }
        let image = DecodedImage(Bitmap(size: size, pixels: pixels))
        #expect(image.bitmap.isOpaque && !image.header.hasAlpha)
        #expect(image.header.storedSize == size && image.completeness == .complete)
    }

    @Test("a header has the upright size, and an image the memory of its profile")
    func header() {
        var image = Self.image()
        #expect(image.byteCount == 4)
        image.header.color = SourceColor(profile: Data([1, 2]))
        image.header.storedSize = PixelSize(width: 2, height: 1)
        image.header.orientation = .leftMirrored
        #expect(image.byteCount == 6 && image.header.size == PixelSize(width: 1, height: 2))
        let layouts: [PixelLayout] = [.gray8, .grayAlpha8, .rgba8, .cmyk8, .rgba16]
        #expect(layouts.map(\.bytesPerPixel) == [1, 2, 4, 4, 8])
        #expect(PixelSize(width: 9, height: 8).divided(by: 4) == PixelSize(width: 3, height: 2))
        #expect(PixelSize(width: 8, height: 9).divided(by: 4) == PixelSize(width: 2, height: 3))
        #expect([0.5, .nan, 2].map { DynamicRange(headroom: $0).headroom } == [1, 1, 2])
    }

    @Test("the changed area contains all differences, and is one pixel without any")
    func changedArea() {
        let size = PixelSize(width: 3, height: 4)
        var pixels = [UInt8](repeating: 0, count: size.area * 4)
        let old = Bitmap(size: size, pixels: pixels)
        #expect(old.changedArea(since: nil) == PixelArea(size: size))
        #expect(old.changedArea(since: old) == PixelArea(left: 0, top: 0, width: 1, height: 1))
        for (x, y) in [(2, 1), (1, 2)] { pixels[(y * 3 + x) * 4 + 3] = 1 }
        let area = Bitmap(size: size, pixels: pixels).changedArea(since: old)
        #expect(area == PixelArea(left: 1, top: 1, width: 2, height: 2))
    }

    @Test("a decoder without a frame reader decodes each frame by itself")
    func frameReader() throws {
        let colors: [[UInt8]] = [[1, 0, 0, 255], [2, 0, 0, 255]]
        let file = FakeImage(
            PixelSize(width: 1, height: 1), frames: colors, delays: [.seconds(1), .seconds(1)], loopCount: 0)
        let reader = try FakeSizedImageDecoder().makeFrameReader(of: file.encoded, request: DecodingRequest())
        #expect(try [1, 0].map { try reader.frame(at: $0).pixels } == [colors[1], colors[0]])
    }

    @Test("images are equal, with equal hashes, if pixels, header and completeness are equal")
    func comparesAll() {
        let image = Self.image()
        #expect(image == Self.image())
        #expect(image.hashValue == Self.image().hashValue)
        #expect(image != Self.image(1))
        var other = image
        other.header.loopCount = 0
        #expect(image != other)
        other = image
        other.completeness = .preview
        #expect(image != other)
    }
}
