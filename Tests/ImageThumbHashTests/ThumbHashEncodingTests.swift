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

    @Test("an image in Display P3 has the hash of its colors in sRGB", arguments: [1, 3])
    func otherColorSpace(factor: Int) {
        func wide(_ bitmap: Bitmap) -> Bitmap {
            Bitmap(size: bitmap.size, pixels: bitmap.pixels, isOpaque: true, colorSpace: .displayP3)
        }
        let image = drawn(100, 60, isOpaque: true)
        let hash = ThumbHash(bitmap: wide(enlarged(image, by: factor)))
        #expect(hash == ThumbHash(bitmap: wide(image).converted(to: .sRGB)))
        #expect(hash != ThumbHash(bitmap: image))
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

    @Test("alpha of an image that is marked as opaque doesn't matter")
    func hiddenAlpha() {
        let image = drawn(40, 30, isOpaque: true)
        let pixels = image.pixels.enumerated().map { $0.offset % 8 == 3 ? 0 : $0.element }
        let marked = Bitmap(size: image.size, pixels: pixels, isOpaque: true)
        #expect(ThumbHash(bitmap: marked) == ThumbHash(bitmap: image))
    }
}

@Suite("Decoding of hashes")
struct ThumbHashDecodingTests {
    @Test(
        "a hash has the pixels of the reference implementation",
        arguments: [
            (
                "AAgCBwAAAAAAAAAAAAAAAAAAAAAAAAAA", 32, 32,
                "af8f31ba22abd706803416381ff240f982f0428cb1a309f698b0473f2ec61340"
            ),
            ("HwgKM5pwd3dweHd3gIAJ+Ig=", 32, 14, "b13a6698fe09d7521891b6f236b0d25978c2eb411fd81c1bc9999d977f1d5e6e"),
            ("2KgNKRpgg3iIh4aH7HAJ93g=", 5, 32, "72520736aa41a01656dce5b611fc1013a3b0f5a493c54bc4e12d16a05b011a8e"),
            (
                "ogiGHIwnoYewiHlnCAuroH8GeCh3iIeHCA==", 32, 26,
                "ffe993dae000a8ee93b390f394d3f389c53350b1afcfed4dbeeb533a2f8e2674"
            ),
            (
                "otiFEgwngLKoeIigsAvpWXSHgIiHd3g=", 13, 32,
                "29bc35efa15c1e1bb500418e1ebb16f62e07561bcb514db128f57cad257af2e7"
            ),
        ])
    func reference(base64: String, width: Int, height: Int, digest: String) throws {
        let bitmap = try ThumbHash(base64: base64).bitmap()
        #expect(bitmap.size == PixelSize(width: width, height: height))
        let words = SHA256.digest(of: bitmap.pixels).map { String($0, radix: 16) }
        #expect(words.map { String(repeating: "0", count: 8 - $0.count) + $0 }.joined() == digest)
    }

    @Test("the first pixels of a hash with alpha are those of the reference implementation")
    func firstPixels() throws {
        let bitmap = try ThumbHash(base64: "otiFEgwngLKoeIigsAvpWXSHgIiHd3g=").bitmap()
        #expect(bitmap.pixels.prefix(8) == [116, 140, 123, 19, 115, 140, 123, 17])
    }

    @Test("only an image with transparency is decoded with alpha", arguments: [true, false])
    func transparency(isOpaque: Bool) {
        let hash = ThumbHash(bitmap: drawn(20, 30, isOpaque: isOpaque))
        let alphas = stride(from: 3, to: hash.bitmap().pixels.count, by: 4).map { hash.bitmap().pixels[$0] }
        #expect(hash.hasAlpha == !isOpaque)
        #expect(hash.bitmap().isOpaque == isOpaque)
        #expect(alphas.allSatisfy { $0 == 255 } == isOpaque)
    }

    @Test(
        "the aspect ratio is approximate",
        arguments: [(100, 100, 1), (100, 50, 7.0 / 4), (50, 100, 4.0 / 7), (100, 3, 7), (1, 90, 1.0 / 7)]
            as [(Int, Int, Double)])
    func aspectRatio(width: Int, height: Int, expected: Double) {
        let hash = ThumbHash(bitmap: filled(width, height, [200, 100, 50, 255]))
        #expect(hash.aspectRatio == expected)
    }

    @Test("a placeholder of a request is the decoded image")
    func placeholder() {
        let hash = ThumbHash(bitmap: drawn(20, 30, isOpaque: false))
        let image = ImagePlaceholder.thumbHash(hash).makeImage()
        #expect(image.bitmap == hash.bitmap())
        #expect(image.header.format == .thumbHash)
        #expect(image.header.hasAlpha && image.completeness == .preview)
        #expect(!ThumbHash(bitmap: drawn(20, 30, isOpaque: true)).image.header.hasAlpha)
        #expect(ImagePlaceholder.thumbHash(hash) != .thumbHash(ThumbHash(bitmap: drawn(20, 30, isOpaque: true))))
        let nearlyOpaque = ThumbHash(bitmap: filled(20, 20, [9, 9, 9, 254]))
        #expect(nearlyOpaque.hasAlpha && nearlyOpaque.bitmap().isOpaque)
    }
}

/// Draws a gradient with a texture in blue, and with alpha from the top left unless it is opaque.
func drawn(_ width: Int, _ height: Int, isOpaque: Bool) -> Bitmap {
    var pixels: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let alpha = isOpaque ? 255 : 255 * (x + y) / (width + height)
            pixels += [255 * x / width, 255 * y / height, x * y * 7 % 256, alpha].map { UInt8($0) }
        }
    }
    return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: isOpaque)
}

/// Draws an image of one color.
func filled(_ width: Int, _ height: Int, _ color: [UInt8]) -> Bitmap {
    let pixels = Array(repeating: color, count: width * height).flatMap { $0 }
    return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: color[3] == 255)
}

/// Returns an image with each pixel repeated in both directions.
func enlarged(_ bitmap: Bitmap, by factor: Int) -> Bitmap {
    let (size, source) = (bitmap.size, bitmap.pixels)
    var pixels: [UInt8] = []
    for y in 0..<size.height * factor {
        for x in 0..<size.width * factor {
            let index = (y / factor * size.width + x / factor) * 4
            pixels += source[index..<index + 4]
        }
    }
    let large = PixelSize(width: size.width * factor, height: size.height * factor)
    return Bitmap(size: large, pixels: pixels, isOpaque: bitmap.isOpaque)
}
