import ImageCore
import Testing

@testable import ImageThumbHash

@Suite("Encoding of hashes")
struct ThumbHashEncodingTests {
    @Test(
        "an image has the hash of the reference implementation",
        arguments: [
            (1, 1, true, "AAgCBwAAAAAAAAAAAAAAAAAAAAAAAAAA"), (100, 100, true, "HwgKNxpwd3dwiHeHeHd4d3d3BwiIgI8H"),
            (100, 40, true, "HwgKM5pwd3dweHd3gIAJ+Ig="), (100, 50, true, "HwgKNJpwd3eAeHd3d3aAcAj4hw=="),
            (3, 90, true, "2KgNKRpgg3iIh4aH7HAJ93g="), (64, 48, false, "ogiGHIwnoYewiHlnCAuroH8GeCh3iIeHCA=="),
            (30, 70, false, "otiFEgwngLKoeIigsAvpWXSHgIiHd3g="), (1, 1, false, "AAiCBQAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="),
        ])
    func reference(width: Int, height: Int, isOpaque: Bool, expected: String) {
        #expect(ThumbHash(bitmap: drawn(width, height, isOpaque: isOpaque)).base64 == expected)
    }

    @Test("an image that is enlarged beyond 100 pixels keeps its hash", arguments: [true, false])
    func enlargedImage(isOpaque: Bool) {
        let image = drawn(100, 60, isOpaque: isOpaque)
        #expect(ThumbHash(bitmap: enlarged(image, by: 3)) == ThumbHash(bitmap: image))
    }

    @Test(
        "a side of more than 100 pixels is scaled to 100, in proportion and to at least one pixel",
        arguments: [
            (200, 100, 100, 50), (101, 101, 100, 100), (150, 301, 50, 100), (5, 4_000, 1, 100), (90, 80, 90, 80),
        ])
    func scaledSize(width: Int, height: Int, scaledWidth: Int, scaledHeight: Int) {
        let image = filled(width, height, [9, 8, 7, 255])
        let scaled = image.averaged(to: image.size.fitting(100))
        #expect(scaled == filled(scaledWidth, scaledHeight, [9, 8, 7, 255]))
    }

    @Test("the average of a box weights colors by alpha, and rounds to nearest")
    func weightedAverage() {
        let pixels: [UInt8] = [255, 0, 0, 0, 10, 20, 30, 255, 10, 20, 33, 255, 255, 255, 255, 0]
        let image = Bitmap(size: PixelSize(width: 2, height: 2), pixels: pixels, isOpaque: false)
        let average = image.averaged(to: PixelSize(width: 1, height: 1))
        #expect(average.pixels == [10, 20, 32, 128])
    }

    @Test("colors of invisible pixels don't matter")
    func invisibleColors() {
        var pixels = drawn(40, 30, isOpaque: true).pixels
        for index in stride(from: 0, to: pixels.count, by: 8) { pixels[index + 3] = 0 }
        let image = Bitmap(size: PixelSize(width: 40, height: 30), pixels: pixels, isOpaque: false)
        for index in stride(from: 0, to: pixels.count, by: 8) { pixels[index] ^= 255 }
        let other = Bitmap(size: PixelSize(width: 40, height: 30), pixels: pixels, isOpaque: false)
        #expect(ThumbHash(bitmap: image) == ThumbHash(bitmap: other))
    }
}
