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

    @Test("the incremental decoder passes", arguments: IncrementalImageDecoderContract.rules)
    func incremental(_ rule: ContractRule<IncrementalImageDecoderContract.Subject>) async throws {
        let size = PixelSize(width: 61, height: 83)
        let samples = try [true, false].flatMap { isOpaque in
            try [false, true].map { isLossless in
                let options = EncodingOptions(isLossless: isLossless)
                return ImageDecoderContract.Sample(
                    "\(isOpaque ? "opaque" : "alpha"), \(isLossless ? "lossless" : "lossy")",
                    try WebPEncoder().encode(.shaded(size, isOpaque: isOpaque), options: options), storedSize: size)
            }
        }
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
