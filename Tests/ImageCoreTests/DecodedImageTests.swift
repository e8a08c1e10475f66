import ImageCore
import Testing

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
