import ImageCodecPNG
import ImageContractTesting
import ImageCore
import Testing

@Suite("PNG: the contracts of decoders and encoders")
struct PNGContractTests {
    private static func samples() throws -> [ImageDecoderContract.Sample] {
        let size = PixelSize(width: 41, height: 29)
        let stills = try [("opaque", true, false), ("alpha", false, false), ("interlaced", false, true)].map {
            ImageDecoderContract.Sample(
                $0.0,
                try PNGEncoder().encode(
                    .shaded(size, isOpaque: $0.1), options: EncodingOptions(isProgressive: $0.2)),
                storedSize: size)
        }
        return try stills
            + ImageDecoderContract.Sample.all(
                by: PNGEncoder(), of: [.animated, .animatedTransparent], isLossless: [true])
    }

    @Test("the decoder passes", arguments: ImageDecoderContract.rules)
    func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        try await rule.check(.init(PNGDecoder(), samples: try Self.samples()))
    }

    @Test("the encoder passes", arguments: ImageEncoderContract.rules)
    func encoder(_ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
        try await rule.check(
            .init(
                PNGEncoder(), decoder: PNGDecoder(), isLossless: true, supportsAlpha: true, supportsAnimation: true))
    }
}
