import ImageCodecJPEG
import ImageContractTesting
import ImageCore
import Testing

@Suite("JPEG: the contracts of decoders and encoders")
struct JPEGContractTests {
    @Test("the decoder passes", arguments: ImageDecoderContract.rules)
    func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        let size = PixelSize(width: 41, height: 29)
        let image = Bitmap.shaded(size, isOpaque: true)
        let samples = try [("baseline", false), ("progressive", true)].map { name, isProgressive in
            ImageDecoderContract.Sample(
                name, try JPEGEncoder().encode(image, options: EncodingOptions(isProgressive: isProgressive)),
                storedSize: size)
        }
        try await rule.check(.init(JPEGDecoder(), samples: samples))
    }

    @Test("the encoder passes", arguments: ImageEncoderContract.rules)
    func encoder(_ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
        try await rule.check(
            .init(
                JPEGEncoder(), decoder: JPEGDecoder(), isLossless: false, supportsAlpha: false,
                supportsAnimation: false, largestSide: 65_500))
    }
}

extension Bitmap {
    /// Returns a gradient with an edge. Its alpha decreases from left to right unless it is opaque.
    static func shaded(_ size: PixelSize, isOpaque: Bool) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                pixels += [UInt8(x * 2), UInt8(y * 3), x > y ? 200 : 40, isOpaque ? 255 : UInt8(255 - x * 2)]
            }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
    }
}
