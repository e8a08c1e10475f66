import ImageCodecGIF
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("GIF: the contracts of decoders and encoders")
struct GIFContractTests {
    @Test("the decoder passes", arguments: ImageDecoderContract.rules)
    func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        let encoder = GIFEncoder()
        let samples = try CodecSample.allCases.map { sample in
            ImageDecoderContract.Sample(
                "\(sample)", try sample.encoded(by: encoder), storedSize: sample.size, frameCount: sample.frameCount)
        }
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
