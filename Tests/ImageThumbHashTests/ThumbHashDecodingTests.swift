import ImageCore
import ImageThumbHash
import Testing

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
    func placeholder() throws {
        let hash = ThumbHash(bitmap: drawn(20, 30, isOpaque: false))
        var options = ImageRequestOptions()
        options.setPlaceholder(hash)
        let image = try #require(options.makePlaceholder())
        #expect(image.bitmap == hash.bitmap())
        #expect(image.header.format == .thumbHash)
        #expect(image.header.hasAlpha)
    }
}
