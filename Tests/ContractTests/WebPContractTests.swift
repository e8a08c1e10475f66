import ImageCodecWebP
import ImageContractTesting
import ImageCore
import Testing

@Suite("WebP: the contracts of decoders and encoders")
struct WebPContractTests {
    @Test("the decoder passes", arguments: ImageDecoderContract.rules)
    func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        let samples = try ImageDecoderContract.Sample.all(by: WebPEncoder())
        try await rule.check(.init(WebPDecoder(), samples: samples))
    }

    @Test("the encoder passes", arguments: ImageEncoderContract.rules)
    func encoder(_ rule: ContractRule<ImageEncoderContract.Subject>) async throws {
        try await rule.check(
            .init(
                WebPEncoder(), decoder: WebPDecoder(), isLossless: true, supportsAlpha: true, supportsAnimation: true,
                largestSide: 16_383))
    }
}
