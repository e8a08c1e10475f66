import ImageCodecGIF
import ImageContractTesting
import ImageCore
import Testing

@Suite("GIF: the contracts of decoders and encoders")
struct GIFContractTests {
    @Test("the decoder passes", arguments: ImageDecoderContract.rules)
    func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        let samples = try ImageDecoderContract.Sample.all(by: GIFEncoder(), isLossless: [true])
        try await rule.check(.init(GIFDecoder(), samples: samples))
    }

    @Test("the encoder passes", arguments: ImageEncoderContract.rules)
    func encoder(_ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
        try await rule.check(
            .init(
                GIFEncoder(), decoder: GIFDecoder(), isLossless: true, supportsAlpha: true, supportsAnimation: true,
                largestSide: 65_535))
    }
}
